import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Runs files that wait for processes first, so that others compute meanwhile; the last ones to run are short. */
export class WaitingFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const waits = ({ moduleId }: TestSpecification) => Number(moduleId.includes('/test/faults/'))
    return sorted.sort((a, b) => waits(b) - waits(a))
  }
}
