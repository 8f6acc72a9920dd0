import { defineConfig } from 'vite';

export default defineConfig({
  base: './', // wherever the page is, its files are beside each other
  worker: { format: 'es' },
  build: {
    target: 'baseline-widely-available',
    outDir: '../dist',
    emptyOutDir: true,
    assetsInlineLimit: 0, // the policy allows files of this server
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    manifest: 'manifest.json', // by which the server finds the script and the style
    license: { fileName: 'assets/licenses.md' },
    chunkSizeWarningLimit: 10_000,
    rollupOptions: {
      input: 'src/main.jsx',
      onwarn: (warning, tell) => warning.code === 'MODULE_LEVEL_DIRECTIVE' || tell(warning), // of servers that render
    },
  },
});
