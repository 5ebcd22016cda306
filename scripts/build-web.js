// Bundles the web interface into dist/web: scripts and styles with hashes in their names, each also as Brotli and gzip, and
// manifest.json, which names what the page loads first.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { webOptions } from './bundle.js'
import { writeWorldMap } from './world-map.js'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const source = join(root, 'src', 'web')
const output = join(root, 'dist', 'web')
const generated = join(root, 'dist', 'web-sources')

mkdirSync(generated, { recursive: true })
writeWorldMap(join(generated, 'world-map.json'))
// One style sheet for all pages: with 10 kB it is cheaper than a request for each page.
writeFileSync(join(generated, 'languages.js'), languageLoader())
writeFileSync(join(generated, 'styles.js'), styleSheets(source).map(importOf).join(''))

const main = join(source, 'main.tsx')
/** @type {import('esbuild').BuildOptions} */
const options = {
  ...webOptions(root),
  entryPoints: { main, styles: join(generated, 'styles.js') },
  outdir: output,
  splitting: true,
  format: 'esm',
  minify: true,
  define: { 'process.env.NODE_ENV': '"production"' },
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  legalComments: 'none',
  metafile: true,
}
const first = await build({ ...options, write: false })
const lazy = Object.values(first.metafile.outputs)
  .map(({ entryPoint }) => entryPoint && join(root, entryPoint))
  // English is part of the first script: importing it from there would run it before its own texts.
  .filter(path => path?.startsWith(source) && path !== main && !path.endsWith(join('languages', 'en.ts')))
/** Scripts of the old kind, which are whole in one file. */
const apart = { ...options, format: /** @type {const} */ ('iife'), splitting: false }
// Loaded before the first paint, so it must not wait.
const early = await build({ ...apart, entryPoints: { theme: join(source, 'theme.ts') } })
// The frame that plays recordings is a page of its own.
const rrweb = JSON.parse(readFileSync(join(root, 'node_modules', '@rrweb', 'replay', 'package.json'), 'utf8'))
const frame = await build({
  ...apart,
  entryPoints: { 'replay-frame': join(source, 'replay-frame', 'frame.ts') },
  loader: { '.css': 'text' },
  banner: {
    js: `/*! Contains @rrweb/replay ${rrweb.version}, Copyright rrweb contributors, MIT: https://github.com/rrweb-io/rrweb/blob/master/LICENSE */`,
  },
})
const { metafile } = await build({ ...options, plugins: [importMain(new Set(lazy))] })

const outputs = Object.entries({
  ...metafile.outputs,
  ...early.metafile.outputs,
  ...frame.metafile.outputs,
}).map(([path, { entryPoint, imports }]) => ({
  name: basename(path),
  entry: entryPoint === undefined ? undefined : relative(root, join(root, entryPoint)),
  loads: imports.filter(({ kind }) => kind === 'import-statement').map(each => basename(each.path)),
}))
const named = (entry, extension) =>
  outputs.find(each => each.name.startsWith(`${entry}-`) && each.name.endsWith(extension)).name
// esbuild also writes the styles of each part; all of them are in the one style sheet.
const used = outputs.filter(({ name }) =>
  name.endsWith('.css') ? name === named('styles', '.css') : name !== named('styles', '.js'),
)

for (const { name } of used) compress(join(output, name))
// A service that starts at this moment reads the manifest of before, or this one.
const manifest = join(output, 'manifest.json')
writeFileSync(
  `${manifest}.new`,
  JSON.stringify({
    theme: named('theme', '.js'),
    script: named('main', '.js'),
    preload: outputs.find(({ name }) => name === named('main', '.js')).loads,
    style: named('styles', '.css'),
    replayFrame: named('replay-frame', '.js'),
    files: Object.fromEntries(used.map(({ name, entry, loads }) => [name, { entry, loads }])),
  }),
)
renameSync(`${manifest}.new`, manifest)
removeAllBut(new Set(['manifest.json', ...used.flatMap(({ name }) => [name, `${name}.br`, `${name}.gz`])]))

/**
 * Lets each part that is loaded later import the first script. All that the first script needs is then needed by every part, and stands in
 * one file; otherwise esbuild makes a file of whatever some of them share, and a first load is thirty requests.
 * @param {Set<string>} paths
 * @returns {import('esbuild').Plugin}
 */
function importMain(paths) {
  return {
    name: 'import-main',
    setup({ onLoad }) {
      onLoad({ filter: /\.tsx?$/ }, ({ path }) => {
        if (!paths.has(path)) return undefined
        const contents = `import ${JSON.stringify(main)}\n${readFileSync(path, 'utf8')}`
        return { contents, loader: path.endsWith('x') ? 'tsx' : 'ts' }
      })
    },
  }
}

/** Each file of the folder is a language. English is in the first script. */
function languageLoader() {
  const folder = join(source, 'text', 'languages')
  const codes = readdirSync(folder).flatMap(name => /^(?!en\b)([\w-]+)\.ts$/.exec(name)?.[1] ?? [])
  const entry = code => `${JSON.stringify(code)}: () => import(${JSON.stringify(join(folder, `${code}.ts`))})`
  return `export default { ${codes.map(entry).join(', ')} }\n`
}

/** The tokens first, then the parts, then the pages: what stands later overrides what stands before. */
function styleSheets(folder) {
  const all = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    name => name.endsWith('.css') && !/^(replay-frame|dev)\b/.test(name),
  )
  const order = ['style', 'parts', 'chart', 'period', 'filters', 'app', 'pages']
  return all.sort(
    (a, b) => order.indexOf(a.split(/[\\/]/)[0]) - order.indexOf(b.split(/[\\/]/)[0]) || (a < b ? -1 : 1),
  )
}

function importOf(name) {
  return `import ${JSON.stringify(join(source, name))}\n`
}

/** A page that is still open loads its parts by their old names only until the next build. */
function removeAllBut(names) {
  for (const name of readdirSync(output)) {
    if (!names.has(name)) rmSync(join(output, name), { recursive: true })
  }
}

function compress(path) {
  const plain = readFileSync(path)
  writeFileSync(`${path}.gz`, gzipSync(plain, { level: 9 }))
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY }
  writeFileSync(`${path}.br`, brotliCompressSync(plain, { params }))
}
