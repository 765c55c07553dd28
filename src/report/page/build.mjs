// Makes two scripts of the sources beside this file: node build.mjs SOURCES OUT
import {build} from 'esbuild';

const [sources, out] = process.argv.slice(2);
const common = {
  bundle: true,
  format: 'iife',
  nodePaths: [new URL('node_modules', `file://${process.cwd()}/`).pathname],
  define: {'process.env.NODE_ENV': '"production"'},
  legalComments: 'eof',
  charset: 'ascii',
  logLevel: 'warning',
};
// charts.js also runs in Duktape, which reads the JavaScript of 2009 and const; rewritten syntax confuses it.
await build({
  ...common,
  entryPoints: [`${sources}/charts.js`],
  outfile: `${out}/charts.js`,
  target: 'es5',
  supported: {'const-and-let': true},
  minifyWhitespace: true,
  minifyIdentifiers: true,
});
await build({...common, entryPoints: [`${sources}/page.js`], outfile: `${out}/page.js`, target: 'es2020', minify: true});
