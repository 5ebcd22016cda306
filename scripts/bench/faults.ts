import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { projectRoot } from '../../src/platform/config/config.ts'
import { FAULTS, type Fault, withFault } from './fault-table.ts'

/** How a fault was met. */
interface Outcome {
  fault: Fault
  /** What failed first; undefined when nothing did. */
  foundBy: string | undefined
  seconds: number
}

const { all, only } = new Command('bench:faults')
  .description(
    'Puts one fault after the other into a copy of the sources, and tells which of them the tests find. Takes about a minute for each.',
  )
  .option('--all', 'with the tests of the full check instead of those of the quick one')
  .option('--only <text>', 'faults whose name contains the text')
  .parse()
  .opts<{ all?: true; only?: string }>()

/** Sees each fault, since it looks for the place of each. */
const ITS_OWN_TEST = 'test/scripts/faults.test.ts'

const copy = copyOfSources()
process.once('exit', () => rmSync(copy, { recursive: true, force: true }))
const outcomes: Outcome[] = []
for (const fault of FAULTS.filter(({ name }) => name.includes(only ?? ''))) {
  const outcome = meet(fault)
  outcomes.push(outcome)
  print(outcome)
}
const found = outcomes.filter(({ foundBy }) => foundBy !== undefined)
process.stdout.write(
  `\n${found.length} of ${outcomes.length} faults found by the ${all ? 'full' : 'quick'} check\n`,
)
process.exit()

/** Puts the fault in, runs the tests that it can reach, and takes it out again. */
function meet(fault: Fault): Outcome {
  const path = join(copy, fault.file)
  const before = readFileSync(path, 'utf8')
  const startedAt = performance.now()
  writeFileSync(path, withFault(fault, before))
  try {
    return { fault, foundBy: firstFailure(), seconds: (performance.now() - startedAt) / 1_000 }
  } finally {
    writeFileSync(path, before)
  }
}

function firstFailure(): string | undefined {
  const built = run('node', ['scripts/build.js'])
  if (built.status !== 0) return 'the build'
  // Those that the fault can reach come first, since they are likely to find it, and of them the nearest.
  const changed = { TEST_CHANGED: 'HEAD' }
  for (const reached of [{ ...changed, TEST_NEAREST: '25' }, changed, {}]) {
    const tests = run(
      'npx',
      ['vitest', 'run', '--bail', '1', '--reporter', 'json', '--passWithNoTests', '--exclude', ITS_OWN_TEST],
      {
        TEST_SET: all ? 'all' : 'quick',
        ...reached,
      },
    )
    if (tests.status !== 0) return failureIn(tests.stdout)
  }
  return undefined
}

function run(command: string, args: string[], settings: NodeJS.ProcessEnv = {}) {
  return spawnSync(command, args, {
    cwd: copy,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    env: { ...process.env, ...settings },
  })
}

interface Report {
  testResults: {
    name: string
    message: string
    assertionResults: { status: string; fullName: string; failureMessages: string[] }[]
  }[]
}

/** Returns the file and the title of the first failed test, and what it says first: a test may fail for another reason than the fault. */
function failureIn(output: string): string {
  const report = JSON.parse(output.slice(output.indexOf('{"num'))) as Report
  for (const { name, assertionResults } of report.testResults) {
    const failed = assertionResults.find(({ status }) => status === 'failed')
    const [said = ''] = failed?.failureMessages[0]?.split('\n') ?? []
    if (failed) return `${name.slice(copy.length + 1)}: ${failed.fullName}\n               ${said}`
  }
  return report.testResults.map(({ message }) => message).find(Boolean) ?? 'the run itself'
}

/** A repository of its own, in which the fault is the only change. */
function copyOfSources(): string {
  const folder = mkdtempSync(join(tmpdir(), 'analytics-faults-'))
  const { stdout } = spawnSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: projectRoot,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  })
  for (const file of stdout.split('\n').filter(Boolean)) {
    cpSync(join(projectRoot, file), join(folder, file), { recursive: true })
  }
  const git = (...args: string[]) => spawnSync('git', args, { cwd: folder })
  git('init', '-q')
  git('add', '-A')
  git('-c', 'user.name=bench', '-c', 'user.email=bench@localhost', 'commit', '-q', '-m', 'sources')
  symlinkSync(join(projectRoot, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

function print({ fault, foundBy, seconds }: Outcome): void {
  process.stdout.write(
    `${foundBy ? 'found ' : 'MISSED'} ${seconds.toFixed(0).padStart(4)} s  ${fault.name}\n${foundBy ? `               ${foundBy}\n` : ''}`,
  )
}
