/** The site: README.md and the documents of docs, rendered by VitePress. `npm run site` builds it. */
import { anchorOf, FOR_CONTRIBUTORS, FOR_USERS, pageOf, root, targetOf, titleOf } from './documents.mjs'

const sidebarOf = (sections) =>
  Object.entries(sections).map(([text, names]) => ({
    text,
    items: names.map((name) => ({
      text: name === 'README' ? 'In a minute' : titleOf(`${name}.md`).replaceAll('`', ''),
      link: `/${pageOf(`${name}.md`)}`,
    })),
  }))

/** Makes the relative links of a document lead to the pages of the site. */
function followLinks(md) {
  md.core.ruler.push('pages', ({ tokens, env }) => {
    // A title alone has no path.
    const document = (env.realPath ?? env.path ?? '').slice(root.length + 1)
    const links = tokens.flatMap((token) => token.children ?? []).filter(({ type }) => type === 'link_open')
    for (const token of links) {
      const link = token.attrGet('href')
      if (!/^([a-z]+:|#|\/)/.test(link)) token.attrSet('href', targetOf(document, link))
    }
  })
}

const HOME = {
  layout: 'home',
  hero: {
    name: 'timeout-wheel',
    text: 'setTimeout for very many timers',
    tagline: 'Millions of timeouts on one timer of the system. In Node an addon, in pages WebAssembly.',
    image: { src: '/wheel.svg', alt: 'A timing wheel' },
    actions: [
      { theme: 'brand', text: 'Guide', link: '/guide.html' },
      { theme: 'alt', text: 'How it works', link: '/how-it-works.html' },
      { theme: 'alt', text: 'Live demo', link: '/demo.html' },
    ],
  },
}

export default {
  title: 'timeout-wheel',
  description: 'A fast setTimeout for programs with very many timers',
  lang: 'en',
  srcDir: root,
  srcExclude: ['{bench,build,test}/**', 'THIRD-PARTY-NOTICES.md'],
  outDir: '../../build/site',
  cacheDir: '../../build/site-cache',
  rewrites: pageOf,
  ignoreDeadLinks: 'localhostLinks',
  markdown: { anchor: { slugify: anchorOf }, config: followLinks },
  transformHead: ({ siteData }) => [['link', { rel: 'icon', href: `${siteData.base}wheel.svg` }]],
  transformPageData: ({ relativePath }) => (relativePath === 'index.md' ? { frontmatter: HOME } : {}),
  // Without one, Vite would take the folder `public` of the project.
  vite: { publicDir: `${root}/docs/site/public`, logLevel: 'warn' },
  themeConfig: {
    search: { provider: 'local' },
    outline: { level: [2, 3] },
    nav: [
      { text: 'Guide', link: '/guide.html' },
      { text: 'How it works', link: '/how-it-works.html' },
      { text: 'How fast', link: '/benchmarks.html' },
      { text: 'Demo', link: '/demo.html' },
      { text: 'API', link: '/api.html' },
      { text: 'Contributing', link: '/contributing/', activeMatch: '/contributing/' },
    ],
    sidebar: { '/': sidebarOf(FOR_USERS), '/contributing/': sidebarOf(FOR_CONTRIBUTORS) },
  },
}
