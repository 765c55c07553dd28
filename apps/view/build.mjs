// Makes one script and one style of the sources beside this file: node build.mjs SOURCES OUT
import {copyFileSync} from 'node:fs';
import {build} from 'esbuild';

const [sources, out] = process.argv.slice(2);
await build({
  entryPoints: {view: `${sources}/main.js`},
  outdir: out,
  bundle: true,
  format: 'iife',
  target: 'es2022',
  minify: true,
  charset: 'ascii',
  legalComments: 'eof',
  loader: {'.h': 'text'}, // colours.js reads its colours from src/render/palette.h
  nodePaths: [new URL('node_modules', `file://${process.cwd()}/`).pathname],
  logLevel: 'warning',
});
await build({entryPoints: {view: `${sources}/style.css`}, outdir: out, minify: true, logLevel: 'warning'});
copyFileSync(`${sources}/index.html`, `${out}/view.html`);
