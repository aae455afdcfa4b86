// How the web app is built: from this folder into web/dist, names by content hash, nothing inlined that the policy forbids.
// OpenPGP.js stays in a chunk of its own, which only the worker loads and only when it needs a key.
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

const chunks = { codeSplitting: { groups: [{ name: 'openpgp', test: /node_modules[\\/]openpgp[\\/]/ }] } };

export default defineConfig({
  root: import.meta.dirname,
  base: '/',
  plugins: [svelte()],
  worker: { format: 'es', rolldownOptions: { output: chunks, checks: { pluginTimings: false } } },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // Where the time of a build went is nothing for who starts a server.
    rolldownOptions: { checks: { pluginTimings: false } },
  },
});
