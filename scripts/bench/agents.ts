import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { isCrawler } from '../../src/ingestion/stages/crawler.ts'
import { onEnd, withCleanup } from './command.ts'

// Counts the agents of browsers and apps that are taken for crawlers, and the crawlers that are recognized, in the test data of
// Matomo's Device Detector. The data is fetched and stays outside this repository: it is under the LGPL.

const CORPUS = 'https://github.com/matomo-org/device-detector'
/** The most real agents that may be dropped: one in this many. */
const REAL_PER_DROPPED = 10_000

const { corpus } = new Command('bench:agents')
  .description('measures how well crawlers are told from browsers and apps')
  .option('--corpus <folder>', `a clone of ${CORPUS}; cloned unless given`)
  .parse()
  .opts<{ corpus?: string }>()

const count = (agents: string[]) => agents.length.toLocaleString('en')

await withCleanup(async () => {
  const agents = readAgents(join(corpus ?? clone(), 'Tests', 'fixtures'))
  const dropped = agents.real.filter(isCrawler)
  const recognized = agents.crawlers.filter(isCrawler)
  const share = ((100 * recognized.length) / agents.crawlers.length).toFixed(1)
  process.stdout.write(`browsers and apps: ${count(dropped)} of ${count(agents.real)} dropped\n`)
  for (const agent of dropped) process.stdout.write(`  ${agent}\n`)
  process.stdout.write(
    `crawlers and HTTP libraries: ${count(recognized)} of ${count(agents.crawlers)} dropped (${share}%)\n`,
  )
  if (dropped.length * REAL_PER_DROPPED > agents.real.length) {
    throw new Error(`More than one in ${REAL_PER_DROPPED.toLocaleString('en')} browsers and apps is dropped.`)
  }
})

function clone(): string {
  const folder = mkdtempSync(join(tmpdir(), 'agents-'))
  onEnd(() => rmSync(folder, { recursive: true, force: true }))
  execFileSync('git', ['clone', '--quiet', '--depth', '1', CORPUS, folder], { stdio: 'inherit' })
  return folder
}

/** Reads the two lines of each entry that matter, which makes a YAML parser unnecessary. */
function readAgents(folder: string): { real: string[]; crawlers: string[] } {
  const real = new Set<string>()
  const crawlers = new Set<string>()
  for (const file of readdirSync(folder).filter(name => name.endsWith('.yml'))) {
    for (const entry of readFileSync(join(folder, file), 'utf8').split(/^-\s/m)) {
      const agent = /^\s*user_agent: (['"]?)(.+)\1$/m.exec(entry)?.[2]
      if (!agent) continue
      if (/^ {2}bot:/m.test(entry)) crawlers.add(agent)
      else if (/^ {4}type: (?:browser|mobile app)$/m.test(entry)) real.add(agent)
    }
  }
  return { real: [...real], crawlers: [...crawlers] }
}
