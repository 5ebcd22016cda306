import { changedFiles, reachedTests } from './changed-tests.ts'
import { missingNeeds, type Project, type TestFile, testFiles } from './test-files.ts'

export { PROJECTS, type Project } from './test-files.ts'

/**
 * Returns the test files of a project that this run is about, relative to the root: `TEST_SET=quick` leaves out those of the full check,
 * and `TEST_CHANGED` is a commit, whose difference to the working tree must be able to reach a file. A changed test file always runs.
 */
export function selectedFiles(project: Project): string[] {
  const reached = reachedBySetting()
  return testFiles()
    .filter(file => file.project === project && missingNeeds(file).length === 0)
    .filter(file => isInSet(file) && (!reached || reached.tests.has(file.path)))
    .map(({ path }) => path)

  function isInSet({ path, isFull }: TestFile): boolean {
    return !isFull || process.env.TEST_SET !== 'quick' || reached?.changed.includes(path) === true
  }
}

let reached: { changed: string[]; tests: Set<string> } | undefined

function reachedBySetting() {
  const ref = process.env.TEST_CHANGED
  if (ref === undefined) return undefined
  const projects = new Map(testFiles().map(({ path, project }) => [path, project]))
  const changed = changedFiles(ref)
  reached ??= { changed, tests: reachedTests(changed, test => projects.get(test) !== 'unit') }
  return reached
}
