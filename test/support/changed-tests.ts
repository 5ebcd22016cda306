import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Where everything comes together. Each test of the whole service imports one of these, and with it each module. Such a test is reached
 * only by a change of what it speaks about.
 */
const WHOLE = /^(workers\/|scripts\/admin\.ts|test\/support\/api\.ts|src\/http\/app\.ts|src\/trpc\/root\.ts)/
const CODE = /\.(ts|tsx|js)$/

/** Changes of these reach every test, since they decide how tests run or what the database is. */
const EVERYTHING =
  /^(package(-lock)?\.json|tsconfig\.json|vitest\.config\.ts|scripts\/(build|install|test)[^/]*)$/
const DATABASE_STARTERS = [
  'src/platform/embedded/database.ts',
  'test/support/database.ts',
  'test/support/data-dir.ts',
]
/** Changes of these reach every test that starts a database. */
const DATABASE = /^(sql\/(citus\/)?migrations\/|src\/platform\/db\/migrate\.ts)/

/** Returns the files that differ from a commit, those that git does not know yet included. @throws Error for an unknown commit */
export function changedFiles(ref: string): string[] {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean)
  return [...git('diff', '--name-only', ref, '--'), ...git('ls-files', '--others', '--exclude-standard')]
}

/**
 * Returns the test files that a change can reach through imports, statements in SQL files, texts, and built scripts: first those whose name
 * says what the change is about, then the nearest.
 * @param changed relative to the root
 */
export function reachedTests(changed: string[]): string[] {
  const graph = readGraph()
  const tests = [...graph.texts.keys()].filter(file => file.endsWith('.test.ts'))
  if (changed.some(file => EVERYTHING.test(file))) return tests
  const touched = changed.some(file => DATABASE.test(file)) ? DATABASE_STARTERS : []
  const reached = new Set<string>()
  for (const file of [...touched, ...changed]) {
    const users = usersOf(graph, file)
    for (const user of users) if (user.endsWith('.test.ts')) reached.add(user)
    for (const test of testsOfSubject(graph, tests, file, users)) reached.add(test)
  }
  const subjects = changed.map(subjectOf)
  const isNamed = (test: string) => subjects.some(subject => subject.test(test))
  return [...[...reached].filter(isNamed), ...[...reached].filter(test => !isNamed(test))]
}

/** Returns the tests that reach a file only through the running service or a built script, and speak about it. */
function testsOfSubject(graph: Graph, tests: string[], file: string, users: Set<string>): string[] {
  const [, script] = /^src\/(web|tracker)\//.exec(file) ?? []
  if (!script && (file.startsWith('test/') || ![...users].some(user => WHOLE.test(user)))) return []
  const candidates = script
    ? tests.filter(test => test.startsWith(`test/${script}/`))
    : wholeTests(graph, tests)
  const subject = subjectOf(file)
  const speaking = candidates.filter(test => speaksOf(graph, test, subject))
  return script && speaking.length === 0 ? candidates : speaking
}

interface Graph {
  texts: Map<string, string>
  /** Of each file, those that import or name it. */
  importers: Map<string, Set<string>>
}

function readGraph(): Graph {
  const files = ['src', 'workers', 'scripts', 'test'].flatMap(folder =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(file => `${folder}/${file}`),
  )
  const code = files.filter(file => CODE.test(file))
  const texts = new Map(code.map(file => [file, readFileSync(join(root, file), 'utf8')]))
  const importers = new Map<string, Set<string>>()
  for (const [file, text] of texts) {
    for (const target of importsOf(file, text)) {
      if (!importers.has(target)) importers.set(target, new Set())
      importers.get(target)!.add(file)
    }
  }
  return { texts, importers }
}

/**
 * Returns the files that a module imports or names by a relative path. A built script stands for its source. What is imported for its
 * types only is left to the compiler.
 */
function importsOf(file: string, text: string): string[] {
  return [...text.replaceAll(/^import type [^']+'[^']+'/gm, '').matchAll(/'(\.{1,2}\/[^'\n]+)'/g)]
    .map(([, target]) => relative(root, resolve(root, dirname(file), target!)))
    .map(target => target.replace(/^dist\/(.*)\.js$/, '$1.ts'))
    .filter(target => existsSync(join(root, target)))
}

/** Returns all that uses a file, itself included. What uses a place where everything comes together is not followed. */
function usersOf({ texts, importers }: Graph, file: string): Set<string> {
  const users = new Set([file])
  for (const user of users) {
    if (WHOLE.test(user)) continue
    for (const next of importers.get(user) ?? []) users.add(next)
    if (!CODE.test(user)) for (const next of namingFiles(texts, user)) users.add(next)
  }
  return users
}

/** Returns what names a file that is no code: a statement by `'name'`, a fragment by `{name}`, any other by its name. */
function namingFiles(texts: Map<string, string>, file: string): string[] {
  const [, kind, name] = /^sql\/(?:citus\/)?(queries|fragments)\/(?:.*\/)?([^/]+)\.sql$/.exec(file) ?? []
  const mark = kind === 'queries' ? `'${name}'` : kind === 'fragments' ? `{${name}}` : basename(file)
  const statements = kind === 'fragments' ? sqlFilesWith(mark) : []
  const naming = [...texts].filter(
    ([user, text]) => text.includes(mark) && (kind || user.startsWith('test/')),
  )
  return [...statements, ...naming.map(([user]) => user)]
}

const sqlFilesWith = (mark: string): string[] =>
  readdirSync(join(root, 'sql'), { recursive: true, encoding: 'utf8' })
    .map(file => `sql/${file}`)
    .filter(file => file.endsWith('.sql') && readFileSync(join(root, file), 'utf8').includes(mark))

/** Folders that hold many subjects: a file of theirs is about its own name. */
const MANY_SUBJECTS = /^(reads|stats|platform)$/

/** What a file is about: the name of its folder or its own, in the singular, where a word begins. */
function subjectOf(file: string): RegExp {
  const folder = basename(dirname(file))
  const subject = MANY_SUBJECTS.test(folder) ? basename(file).replace(/\..*/, '') : folder
  const [first = '', ...rest] = subject.replace(/s$/, '').split('-')
  const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)
  const following = rest.map(word => `(?:s?[-_ /.]?${word}|${capital(word)})`).join('')
  return new RegExp(`(?:(?<![A-Za-z])${first}|${capital(first)})${following}`)
}

/** Returns the tests that run the whole service. */
function wholeTests({ importers }: Graph, tests: string[]): string[] {
  const users = new Set([...importers.keys()].filter(file => WHOLE.test(file)))
  for (const user of users) for (const next of importers.get(user) ?? []) users.add(next)
  return tests.filter(test => users.has(test))
}

/** Lines of a test that name a subject: fewer are an aside. */
const MENTIONS = 6

const speaksOf = ({ texts }: Graph, test: string, subject: RegExp): boolean =>
  subject.test(test) ||
  texts
    .get(test)!
    .split('\n')
    .filter(line => subject.test(line)).length >= MENTIONS
