import { defineConfig } from "vite";

export default defineConfig({
  base: "/static/",
  build: {
    outDir: "../src/geohound/portal/static",
    emptyOutDir: true,
    manifest: true,
    target: "es2022",
    // Inlined files would be data: addresses, which the pages' content security policy refuses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: { input: "src/portal.ts" },
  },
});
