// The documentation as a site: tools/docs copies the pages beside this file and builds them with VitePress.
import {readdirSync, statSync} from 'node:fs';
import path from 'node:path';
import {fileURLToPath} from 'node:url';

const source = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../pages');
const methods = readdirSync(path.join(source, 'methods')).filter(f => f.endsWith('.md')).sort();

const isFile = file => statSync(path.join(source, file), {throwIfNoEntry: false})?.isFile();

// Links that leave the pages: scenes and studies can be fetched from the site, anything else stays a name.
function outwards(md) {
  const usual = md.renderer.rules.link_open ?? ((tokens, i, options, env, self) => self.renderToken(tokens, i, options));
  md.renderer.rules.link_open = (tokens, i, options, env, self) => {
    const token = tokens[i],
      to = token.attrGet('href') ?? '';
    if (!/^(\w+:|#|\/)/.test(to) && env.relativePath) {
      const file = path.join(path.dirname(env.relativePath), to.split('#')[0]);
      if (!isFile(file)) {
        const fetched = file.replace(/^(\.\.\/)+/, '');
        if (isFile(`public/${fetched}`)) {
          token.attrSet('href', `/${fetched}`);
          token.attrSet('target', '_blank');
        } else {
          token.attrs = token.attrs.filter(([name]) => name !== 'href');
        }
      }
    }
    return usual(tokens, i, options, env, self);
  };
}

const sidebar = [
  {
    text: 'Begin',
    items: [
      {text: 'What Brim is', link: '/overview'},
      {text: 'For students', link: '/tutorials/student'},
      {text: 'For engineers', link: '/tutorials/engineer'},
      {text: 'For artists', link: '/tutorials/artist'},
      {text: 'Questions', link: '/faq'},
      {text: 'Gallery', link: '/pictures'},
    ],
  },
  {
    text: 'Use',
    items: [
      {text: 'The scene format', link: '/scene_format'},
      {text: 'Motions, tanks and waves', link: '/motions'},
      {text: 'Instruments', link: '/instruments'},
      {text: 'The viewer', link: '/viewer'},
      {text: 'Pictures, films, meshes', link: '/exports'},
      {text: 'From Python', link: '/python'},
      {text: 'On a GPU', link: '/gpu'},
    ],
  },
  {
    text: 'Theory',
    items: [
      {text: 'A liquid in equations', link: '/theory/fluid'},
      {text: 'Methods of particles', link: '/theory/particles'},
      {text: 'Methods with a grid', link: '/theory/grid'},
      {text: 'Symbols', link: '/symbols'},
      {text: 'Studies', link: '/studies'},
      {text: 'Validation', link: '/validation'},
      {text: 'What is promised', link: '/trust'},
    ],
  },
  {
    text: 'Methods in Brim',
    collapsed: true,
    items: methods.map(f => ({text: f.replace('.md', ''), link: `/methods/${f.replace('.md', '')}`})),
  },
  {
    text: 'For who changes Brim',
    collapsed: true,
    items: [
      {text: 'Contributing', link: '/CONTRIBUTING'},
      {text: 'Where things live', link: '/architecture'},
      {text: 'Claims of the papers', link: '/acceptance'},
      {text: 'Errors in the papers', link: '/errata'},
      {text: 'Changes', link: '/CHANGELOG'},
    ],
  },
];

// A page that is in no list would be found by the search alone.
const listed = JSON.stringify(sidebar);
for (const file of readdirSync(source).filter(f => f.endsWith('.md') && f !== 'index.md'))
  if (!listed.includes(`"/${file.replace('.md', '')}"`)) throw new Error(`docs/site/config.mjs lists no ${file}`);

export default {
  title: 'Brim',
  description: 'Liquids that keep their volume: simulation, methods, scenes',
  base: process.env.BRIM_DOCS_BASE ?? '/',
  srcDir: 'pages',
  outDir: 'dist',
  cacheDir: '.cache',
  cleanUrls: false,
  markdown: {math: true, config: outwards},
  ignoreDeadLinks: [/^\/api\//, /^\/(scenes|studies)\//],
  vite: {build: {chunkSizeWarningLimit: 3000}},
  themeConfig: {
    search: {provider: 'local'},
    outline: [2, 3],
    nav: [
      {text: 'Student', link: '/tutorials/student'},
      {text: 'Engineer', link: '/tutorials/engineer'},
      {text: 'Artist', link: '/tutorials/artist'},
      {text: 'Scene format', link: '/scene_format'},
      {text: 'C++ API', link: '/api/index.html', target: '_blank'},
    ],
    sidebar,
  },
};
