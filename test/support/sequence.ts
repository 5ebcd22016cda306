import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { PROJECTS } from './test-files.ts'

const ORDER: readonly string[] = PROJECTS

/** Tests that start, stop or kill several processes wait most of their time. */
const WAITING = /\/test\/(faults|embedded)\//

/**
 * Sorts test files as Vitest does, by how long they took before, but a worker ends when its next file is of another project, so projects
 * are not mixed. Files that mostly wait come first, and those of `unit` last: short files that compute keep all cores busy until the end.
 */
export class ProjectsInOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const turn = ({ project }: TestSpecification) => ORDER.indexOf(project.name)
    const waits = ({ moduleId }: TestSpecification) => Number(WAITING.test(moduleId))
    return sorted.toSorted((a, b) => turn(a) - turn(b) || waits(b) - waits(a))
  }
}
