import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Sorts test files as Vitest does, but those that wait for time limits come first in their group: then both cores are busy
 * until the end.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const group = ({ project }: TestSpecification) => project.config.sequence.groupOrder
    const waits = ({ project }: TestSpecification) => Number(project.name === 'faults')
    return sorted.toSorted((a, b) => group(a) - group(b) || waits(b) - waits(a))
  }
}
