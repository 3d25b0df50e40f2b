// Builds one application with one bundler: node bundle.mjs BUILDER WORK OUT [ENTRY]
// WORK holds the sources and a node_modules with the versions that the application asks for; a library or a tool
// that it does not name is taken from the folder of all packages, which is WORK/tools.
import {createRequire} from 'node:module';
import fs from 'node:fs';
import path from 'node:path';

const [builder, workFolder, outFolder, entryName] = process.argv.slice(2);
const work = path.resolve(workFolder);
const out = path.resolve(outFolder);
const tools = fs.realpathSync(path.join(work, 'tools'));
const need = createRequire(path.join(tools, 'package.json'));
const at = (name) => need.resolve(name);
const entry = entryName ? path.join(work, entryName) : '';
const environment = readEnvironment();
process.chdir(work);
process.env.NODE_ENV = builder.endsWith('-dev') ? 'development' : 'production';

function readEnvironment() {
  const file = path.join(work, '.env');
  const lines = fs.existsSync(file) ? fs.readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
}

function defined() {
  const mode = builder.endsWith('-dev') ? 'development' : 'production';
  const values = {...environment, NODE_ENV: mode};
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`process.env.${name}`, JSON.stringify(value)]));
}

function presets(targets) {
  return [
    [at('@babel/preset-env'), {targets, modules: false}],
    [at('@babel/preset-react')],
    [at('@babel/preset-typescript')],
  ];
}

// webpack 4 cannot read newer syntax, so there the libraries are rewritten too.
function webpackRules(targets, libraries) {
  return [{
    test: /\.[cm]?[jt]sx?$/, exclude: libraries ? /core-js|@babel/ : /node_modules/, resolve: {fullySpecified: false},
    use: {loader: at('babel-loader'), options: {presets: presets(targets), babelrc: false, configFile: false, sourceType: 'unambiguous', compact: false}},
  }];
}

async function webpack5(options = {}) {
  const webpack = need('webpack5');
  const {targets = 'last 2 chrome versions', ...rest} = options;
  await runWebpack(webpack, {
    mode: 'production', entry, target: rest.target || 'web', devtool: false, context: work,
    output: {path: out, filename: '[name].[contenthash:8].js', chunkFilename: '[name].[contenthash:8].js', publicPath: 'auto'},
    resolve: {extensions: ['.tsx', '.ts', '.jsx', '.js', '.json'], extensionAlias: {'.js': ['.js', '.ts', '.tsx']}},
    module: {rules: webpackRules(targets, false)},
    plugins: [new webpack.DefinePlugin(defined())], performance: false, ...rest,
  });
}

async function webpack4(options = {}) {
  const webpack = need('webpack');
  const rules = webpackRules('ie 11', true).map(({resolve, ...rule}) => rule);
  await runWebpack(webpack, {
    mode: 'production', entry, devtool: false, context: work,
    output: {path: out, filename: '[name].[chunkhash:8].js', chunkFilename: '[id].[chunkhash:8].chunk.js', publicPath: '', hashFunction: 'sha256'},
    resolve: {extensions: ['.tsx', '.ts', '.jsx', '.mjs', '.js', '.json']},
    module: {rules}, plugins: [new webpack.DefinePlugin(defined())], performance: false, node: false, ...options,
  });
}

async function runWebpack(webpack, configuration) {
  const names = await new Promise((done, fail) => {
    webpack(configuration, (problem, stats) => {
      if (problem || stats.hasErrors()) return fail(problem || new Error(stats.toString({colors: false, all: false, errors: true})));
      return done([...stats.compilation.entrypoints.values()][0].getFiles());
    });
  });
  page(names.filter((name) => name.endsWith('.js')).map((name) => `<script defer src="${name}"></script>`));
}

// The page, with its module script replaced by the scripts that were built.
function page(scripts) {
  const source = fs.readFileSync(path.join(work, 'index.html'), 'utf8');
  const written = source.replace(/<script type="module"[^>]*><\/script>/, () => scripts.join('\n'));
  fs.writeFileSync(path.join(out, 'index.html'), written);
}

async function rollup(version, output, options = {}) {
  const {rollup: run} = need(version);
  const plugin = (name) => need(name).default || need(name);
  const extensions = ['.mjs', '.js', '.jsx', '.ts', '.tsx', '.json'];
  const bundle = await run({
    input: entry, onwarn() {}, context: 'window', ...options,
    plugins: [
      plugin('@rollup/plugin-replace')({values: defined(), preventAssignment: true}), plugin('@rollup/plugin-json')(),
      plugin('@rollup/plugin-node-resolve')({browser: true, extensions}), typescript(),
      plugin('@rollup/plugin-commonjs')({extensions}),
    ],
  });
  const file = output.format === 'es' ? {dir: out, entryFileNames: 'app.js', chunkFileNames: 'chunk-[hash].js'} : {file: path.join(out, 'app.js'), inlineDynamicImports: true};
  await bundle.write({name: 'MapApp', ...file, ...output});
  const kind = output.format === 'es' ? 'type="module"' : 'defer';
  page([`<script ${kind} src="app.js"></script>`]);
}

function typescript() {
  const compiler = need('typescript');
  return {
    name: 'typescript',
    transform(code, id) {
      if (!/\.[jt]sx$|\.ts$/.test(id)) return null;
      const {ESNext, ES5} = compiler.ScriptTarget;
      const target = builder.endsWith('-ts') ? ES5 : ESNext;
      const compilerOptions = {target, module: compiler.ModuleKind.ESNext, jsx: compiler.JsxEmit.React, removeComments: true};
      return {code: compiler.transpileModule(code, {compilerOptions, fileName: id}).outputText, map: null};
    },
  };
}

// Every script that was written, made small by terser or uglify.
async function minify(options = {}) {
  const {minify: run} = need('terser');
  for (const name of fs.readdirSync(out).filter((one) => one.endsWith('.js'))) {
    const file = path.join(out, name);
    const {code} = await run(fs.readFileSync(file, 'utf8'), options);
    fs.writeFileSync(file, code);
  }
}

async function esbuild(options) {
  const {build} = need('esbuild');
  const result = await build({
    entryPoints: [entry], bundle: true, outdir: out, entryNames: 'app', chunkNames: 'chunk-[hash]', metafile: true, logLevel: 'error',
    define: {...defined(), global: 'window'}, loader: {'.png': 'dataurl', '.svg': 'dataurl', '.css': 'empty', '.js': 'jsx', '.wasm': 'file'}, absWorkingDir: work, sourcemap: false,
    external: ['fs', 'path', 'url', 'zlib', 'module'], ...options,
  });
  if (!result.metafile) throw new Error('nothing was built');
  page([`<script ${options.format === 'esm' ? 'type="module"' : 'defer'} src="app.js"></script>`]);
}

async function vite(options = {}) {
  const {build} = await import(pathToImport('vite'));
  const vue = (await import(pathToImport('@vitejs/plugin-vue'))).default;
  const plugins = [vue()];
  if (options.legacy) plugins.push((await import(pathToImport('@vitejs/plugin-legacy'))).default({targets: ['ie 11'], renderModernChunks: false}));
  await build({
    root: work, base: './', configFile: false, logLevel: 'error', plugins, define: defined(),
    build: {outDir: out, emptyOutDir: false, sourcemap: false, ...options.build},
  });
}

function pathToImport(name) {
  const folder = path.join(tools, 'node_modules', name);
  const about = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'));
  const main = about.exports?.['.'];
  const target = main?.import?.default || main?.import || main?.default || about.module || about.main;
  return path.join(folder, target);
}

async function parcel(options = {}) {
  const {Parcel} = need('@parcel/core');
  const cache = path.join(work, '.parcel-cache');
  await new Parcel({
    entries: path.join(work, 'index.html'), defaultConfig: at('@parcel/config-default'), mode: options.mode || 'production',
    defaultTargetOptions: {distDir: out, sourceMaps: false, publicUrl: './', shouldOptimize: options.mode !== 'development', engines: {browsers: options.browsers || ['last 2 Chrome versions']}},
    env: environment, cacheDir: cache, shouldDisableCache: true, shouldContentHash: true,
  }).run();
}

async function browserify(options = {}) {
  const bundle = need('browserify')(entry, {extensions: ['.js', '.json', '.jsx'], standalone: options.standalone});
  bundle.transform(at('babelify'), {global: true, babelrc: false, configFile: false, compact: false, sourceType: 'unambiguous', presets: [[at('@babel/preset-env'), {targets: 'ie 11'}], at('@babel/preset-react')]});
  let code = await new Promise((done, fail) => bundle.bundle((problem, buffer) => (problem ? fail(problem) : done(buffer.toString()))));
  for (const [name, value] of Object.entries(defined())) code = code.replaceAll(name, value);
  fs.writeFileSync(path.join(out, 'app.js'), options.plain ? code : need('uglify-js').minify(code).code);
  page(['<script defer src="app.js"></script>']);
}

// RequireJS' optimizer leaves the page as it is: its main script now holds all modules.
async function rjs(optimize) {
  const configuration = JSON.parse(fs.readFileSync(path.join(work, 'rjs.json'), 'utf8'));
  const target = path.join(out, configuration.baseUrl, `${configuration.name}.js`);
  fs.mkdirSync(path.dirname(target), {recursive: true});
  await new Promise((done, fail) => need('requirejs').optimize({...configuration, baseUrl: path.join(work, configuration.baseUrl), out: target, optimize, logLevel: 4}, done, fail));
  fs.copyFileSync(path.join(work, 'index.html'), path.join(out, 'index.html'));
}

// Files one after another in one file, as a task runner does, without modules.
async function concat(options) {
  const [name, ...files] = JSON.parse(fs.readFileSync(path.join(work, 'concat.json'), 'utf8'));
  const find = (file) => (fs.existsSync(path.join(work, file)) ? path.join(work, file) : path.join(tools, 'node_modules', file));
  fs.writeFileSync(path.join(out, name), files.map((file) => fs.readFileSync(find(file), 'utf8').replace(/\/\/# sourceMappingURL.*/, '')).join('\n;'));
  if (options) await minify(options);
  const source = fs.readFileSync(path.join(work, 'index.html'), 'utf8');
  const written = source.replace(/<script[^>]*src="[^"]*"[^>]*><\/script>\s*/g, '').replace('</body>', () => `<script src="${name}"></script></body>`);
  fs.writeFileSync(path.join(out, 'index.html'), written);
}

function plain() {
  fs.cpSync(work, out, {recursive: true, filter: (source) => !/node_modules|tools$|rjs\.json|concat\.json|\.env$|\/public$/.test(source.slice(work.length))});
}

const small = {compress: {passes: 2}, mangle: true};
const BUILDERS = {
  webpack5: () => webpack5(),
  'webpack5-es5': () => webpack5({targets: 'ie 11', target: ['web', 'es5']}),
  'webpack5-dev': () => webpack5({mode: 'development'}),
  'webpack5-eval-dev': () => webpack5({mode: 'development', devtool: 'eval'}),
  'webpack5-split': () => webpack5({optimization: {splitChunks: {chunks: 'all', minSize: 1000}, runtimeChunk: 'single'}}),
  'webpack5-noconcat': () => webpack5({optimization: {concatenateModules: false, moduleIds: 'named'}}),
  webpack4: () => webpack4(),
  'webpack4-split': () => webpack4({optimization: {splitChunks: {chunks: 'all'}, runtimeChunk: true}}),
  'webpack4-dev': () => webpack4({mode: 'development'}),
  rollup: async () => { await rollup('rollup4', {format: 'iife'}); await minify(small); },
  'rollup-plain': () => rollup('rollup4', {format: 'iife'}),
  'rollup-umd': async () => { await rollup('rollup2', {format: 'umd'}); await minify({mangle: true}); },
  'rollup-es': async () => { await rollup('rollup4', {format: 'es'}); await minify({module: true, ...small}); },
  'rollup-ts': async () => { await rollup('rollup4', {format: 'iife'}); await minify(small); },
  parcel: () => parcel(),
  'parcel-es5': () => parcel({browsers: ['ie 11']}),
  'parcel-dev': () => parcel({mode: 'development'}),
  'esbuild-min': () => esbuild({minify: true, format: 'iife'}),
  'esbuild-plain': () => esbuild({format: 'iife'}),
  'esbuild-es2015': () => esbuild({minify: true, format: 'iife', target: 'es2015'}),
  'esbuild-es2015-plain': () => esbuild({format: 'iife', target: 'es2015'}),
  'esbuild-split': () => esbuild({minify: true, format: 'esm', splitting: true}),
  vite: () => vite(),
  'vite-plain': () => vite({build: {minify: false}}),
  'vite-terser': () => vite({build: {minify: 'terser', target: 'es2019'}}),
  'vite-legacy': () => vite({legacy: true}),
  browserify: () => browserify(),
  'browserify-plain': () => browserify({plain: true}),
  rjs: () => rjs('uglify'),
  'rjs-none': () => rjs('none'),
  concat: () => concat(small),
  'concat-plain': () => concat(null),
  plain,
};

fs.mkdirSync(out, {recursive: true});
if (!BUILDERS[builder]) throw new Error(`no such builder: ${builder}; there are ${Object.keys(BUILDERS).join(' ')}`);
await BUILDERS[builder]();
const files = path.join(work, 'public');
if (fs.existsSync(files)) fs.cpSync(files, out, {recursive: true});
process.exit(0);
