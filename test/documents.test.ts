import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { settingsDocument } from '../scripts/settings-document.ts'
import { siteFields } from '../src/access/sites/options.ts'
import { routes } from '../src/http/api/routes.ts'
import { IMPORT_FORMATS } from '../src/outgoing/transfer/imports/registry.ts'
import { projectRoot } from '../src/platform/config/config.ts'
import { DIMENSIONS } from '../src/platform/dimensions/dimensions.ts'

const filesIn = (folder: string, ending: RegExp): string[] =>
  readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' })
    .filter(name => ending.test(name))
    .map(name => join(folder, name))

const read = (file: string) => readFileSync(join(projectRoot, file), 'utf8')

const DOCUMENTS = [
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'],
  ...['docs', 'src', 'test'].flatMap(folder => filesIn(folder, /\.md$/)),
]
const DECISIONS = filesIn('docs/decisions', /\d-.*\.md$/)
const SOURCES = ['src', 'workers', 'scripts', 'sql', 'test'].flatMap(folder =>
  filesIn(folder, /\.(ts|sql|js)$/),
)

const headingsOf = (document: string): string[] =>
  [...read(document).matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading!)

/** Returns the anchors of headings as GitHub makes them; a repeated heading gets a number. */
function anchorsOf(document: string): Set<string> {
  const anchors = new Set<string>()
  for (const heading of headingsOf(document)) {
    const name = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-')
    let anchor = name
    for (let count = 1; anchors.has(anchor); count++) anchor = `${name}-${count}`
    anchors.add(anchor)
  }
  return anchors
}

test('documents: every link leads to a file and a heading', () => {
  const broken = DOCUMENTS.flatMap(document =>
    [...read(document).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)].flatMap(
      ([link, path, anchor]) => {
        const target = path ? join(dirname(document), path) : document
        const isFound = existsSync(join(projectRoot, target)) && (!anchor || anchorsOf(target).has(anchor))
        return isFound ? [] : [`${document}: ${link}`]
      },
    ),
  )
  expect(broken).toEqual([])
})

test('documents: no list and no table says the same twice', () => {
  const repeated = DOCUMENTS.flatMap(document =>
    read(document)
      .split(/\n(?=#+ )/)
      .flatMap(section => {
        const lines = section.split('\n').filter(line => /^(\||[-*] |\d+\. ).{30,}/.test(line))
        return lines.filter((line, index) => lines.indexOf(line) < index && !/^[|: -]+$/.test(line))
      })
      .map(line => `${document}: ${line}`),
  )
  expect(repeated).toEqual([])
})

test('documents: every heading that a comment cites exists', () => {
  const cited = SOURCES.flatMap(file =>
    [...read(file).matchAll(/(docs\/\w+\.md) "([^"]+)"(?: and "([^"]+)")?/g)].flatMap(
      ([, document, ...headings]) =>
        headings.filter(Boolean).map(heading => ({ file, document: document!, heading: heading! })),
    ),
  )
  expect(cited.length).toBeGreaterThan(0)
  expect(cited.filter(({ document, heading }) => !headingsOf(document).includes(heading))).toEqual([])
})

test('documents: every source file that they name exists', () => {
  const named = DOCUMENTS.filter(document => document !== 'CHANGELOG.md').flatMap(document =>
    [...read(document).matchAll(/`((?:src|workers|scripts|sql|test|docs)\/[\w./-]*\w)`/g)].map(([, path]) => [
      document,
      path!,
    ]),
  )
  expect(named.filter(([, path]) => !existsSync(join(projectRoot, path!)))).toEqual([])
})

test('documents: every npm script that they name exists', () => {
  const { scripts } = JSON.parse(read('package.json'))
  const named = DOCUMENTS.flatMap(document =>
    [...read(document).matchAll(/\bnpm run (?:-s )?([a-z][\w:-]*)/g)].map(([, name]) => [document, name!]),
  )
  expect(named.length).toBeGreaterThan(0)
  expect(named.filter(([, name]) => !Object.hasOwn(scripts, name!))).toEqual([])
})

test('documents: every command of npm run admin that they name exists', () => {
  const sources = filesIn('scripts/admin', /\.ts$/).map(read).join('\n')
  const known = new Set([
    ...[...sources.matchAll(/\.command\('([\w:-]+)'\)/g)].map(([, name]) => name),
    ...IMPORT_FORMATS.map(({ format }) => `import:${format}`),
  ])
  const named = DOCUMENTS.flatMap(document =>
    [...read(document).matchAll(/npm run -s admin -- ([a-z][\w:-]*)/g)].map(([, name]) => [document, name!]),
  )
  expect(named.length).toBeGreaterThan(0)
  expect(named.filter(([, name]) => !known.has(name!))).toEqual([])
})

test('documents: docs/configuration.md is what the schema of the settings says', () => {
  expect(read('docs/configuration.md'), 'write it anew: npm run -s docs').toBe(settingsDocument())
})

test('documents: every decision has a date and a status, and its line in the index', () => {
  const index = read('docs/decisions/README.md')
  const wrong = DECISIONS.filter(page => {
    const [title = '', , dated = ''] = read(page).split('\n')
    return (
      !/^# \d{3}\. ./.test(title) ||
      !/^Date: \d{4}-\d{2}-\d{2}\. Status: (in force|proposed)\b/.test(dated) ||
      !index.includes(`[${title.slice(2)}](${basename(page)})`)
    )
  })
  expect(DECISIONS.length).toBeGreaterThan(0)
  expect(wrong).toEqual([])
})

test('documents: every page of docs that a source names exists, with its heading', () => {
  const named = SOURCES.flatMap(file =>
    [...read(file).matchAll(/\b(docs\/[\w/-]+\.md)(?:#([\w-]+))?/g)].map(([, page, anchor]) => ({
      ...{ file, page: page!, anchor },
    })),
  )
  expect(named.length).toBeGreaterThan(0)
  const isFound = ({ page, anchor }: { page: string; anchor: string | undefined }) =>
    existsSync(join(projectRoot, page)) && (!anchor || anchorsOf(page).has(anchor))
  expect(named.filter(each => !isFound(each))).toEqual([])
})

/** Returns the names that a document does not have in backticks. */
const missingIn = (document: string, names: readonly string[]): string[] => {
  const text = read(document)
  return names.filter(name => !text.includes(`\`${name}\``))
}

test.each([
  ['docs/api.md', 'dimension', 'Filters', DIMENSIONS],
  ['docs/metrics.md', 'dimension', 'Filters', DIMENSIONS],
  ['docs/api.md', 'site option', 'Sites', Object.keys(siteFields)],
] as const)('documents: %s names every %s', (document, _, heading, names) => {
  expect(missingIn(document, names), `add them to "${heading}" of ${document}`).toEqual([])
})

test('documents: docs/api.md names every endpoint', () => {
  const text = read('docs/api.md')
  const isNamed = (endpoint: string) => text.includes(`\`${endpoint}\``)
  const undocumented = routes
    .map(({ method, path }) => `${method.toUpperCase()} ${path.replace(/:(\w+)/g, '{$1}')}`)
    .filter(endpoint => !isNamed(endpoint) && !isNamed(endpoint.replace('/api/sites/{siteKey}', '')))
  expect(undocumented, 'give each a row in docs/api.md').toEqual([])
})

test('documents: docs/api.md names every procedure', () => {
  const missing = routes
    .map(({ procedure }) => procedure)
    .filter(procedure => missingIn('docs/api.md', [procedure, procedure.replace(/^\w+/, '')]).length === 2)
  expect(missing, 'add them to the table of "tRPC" in docs/api.md').toEqual([])
})
