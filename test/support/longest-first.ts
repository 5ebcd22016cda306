import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Projects whose files wait for time limits start before those that compute: then both cores are busy until the end. */
const FIRST = ['faults', 'processes', 'browser']

/** Sorts test files by group, then by how long those of their project wait, then as Vitest does. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const rank = ({ project }: TestSpecification) => FIRST.indexOf(project.name)
    const group = ({ project }: TestSpecification) => project.config.sequence.groupOrder
    return sorted.toSorted((a, b) => group(a) - group(b) || rank(a) - rank(b))
  }
}
