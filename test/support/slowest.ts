import type { Reporter, TestModule } from 'vitest/node'

const SHOWN = 10

/** Prints the slowest tests, and the slowest files with their set-up. */
export class SlowestReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap(module =>
      [...module.children.allTests()].map(test => ({
        ms: test.diagnostic()?.duration ?? 0,
        name: `${module.relativeModuleId} ${test.fullName}`,
      })),
    )
    const files = modules.map(module => {
      const { collectDuration, duration, environmentSetupDuration, setupDuration } = module.diagnostic()
      return {
        ms: collectDuration + duration + environmentSetupDuration + setupDuration,
        name: module.relativeModuleId,
      }
    })
    if (tests.length < 2 * SHOWN) return
    print('Slowest tests', tests)
    print('Slowest files', files)
  }
}

function print(title: string, items: { ms: number; name: string }[]): void {
  const slowest = items.sort((a, b) => b.ms - a.ms).slice(0, SHOWN)
  const lines = slowest.map(
    ({ ms, name }) => `${(ms / 1_000).toFixed(1).padStart(7)} s  ${name.slice(0, 140)}`,
  )
  process.stdout.write(`${[`\n ${title}`, ...lines].join('\n')}\n`)
}
