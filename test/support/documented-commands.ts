import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../../src/platform/config/config.ts'

/** The commands of docs/operations.md that stand in one block and begin with `start`, word for word. */
export function documentedCommands(start: string): string {
  const text = readFileSync(join(projectRoot, 'docs', 'operations.md'), 'utf8')
  const blocks = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, commands]) => commands!)
  const found = blocks.find(commands => commands.trimStart().startsWith(start))
  if (!found) throw new Error(`docs/operations.md has no commands that begin with ${start}`)
  return found
}
