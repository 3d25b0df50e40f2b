const Koop = require('@koopjs/koop-core');

const koop = new Koop({ logLevel: 'error' });
koop.register(require('@koopjs/provider-file-geojson'), { dataDir: '../data' });
koop.server.listen(${port}, '127.0.0.1');
