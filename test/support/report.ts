import type { Reporter, TestModule } from 'vitest/node'
import { NEEDS } from './needs.ts'
import { missingNeeds, testFiles } from './test-files.ts'

const SHOWN = 10

/** Prints the slowest files with their set-up, and each suite that was left out, why, and what brings it. */
export class ReportedRun implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    if (modules.length >= 2 * SHOWN) printSlowest(modules)
    if (process.env.TEST_SET === 'all') printLeftOut(modules)
  }
}

function printSlowest(modules: readonly TestModule[]): void {
  const files = modules.map(module => {
    const { collectDuration, duration, environmentSetupDuration, setupDuration } = module.diagnostic()
    return {
      ms: collectDuration + duration + environmentSetupDuration + setupDuration,
      name: module.relativeModuleId,
    }
  })
  const slowest = files.sort((a, b) => b.ms - a.ms).slice(0, SHOWN)
  print(
    'Slowest files',
    slowest.map(({ ms, name }) => `${(ms / 1_000).toFixed(1).padStart(7)} s  ${name}`),
  )
}

function printLeftOut(modules: readonly TestModule[]): void {
  const lines = testFiles().flatMap(file => {
    const missing = missingNeeds(file)
    if (missing.length === 0) return []
    return [
      `${file.path}: needs ${missing.map(({ what }) => what).join(', ')}; ${missing.map(({ command }) => command).join('; ')}`,
    ]
  })
  for (const module of modules) {
    const skipped = [...module.children.allTests('skipped')]
    const native = skipped.filter(({ tags }) => tags.includes('native')).length
    if (native > 0)
      lines.push(
        `${module.relativeModuleId}, ${native} of its cases: need ${NEEDS.timescaledb.what}; ${NEEDS.timescaledb.command}`,
      )
    const other = skipped.length - native
    if (other > 0) lines.push(`${module.relativeModuleId}, ${other} of its cases: the test says why`)
  }
  if (lines.length > 0) print('Left out', lines)
}

function print(title: string, lines: string[]): void {
  process.stdout.write(`${[`\n ${title}`, ...lines.map(line => `  ${line}`)].join('\n')}\n`)
}
