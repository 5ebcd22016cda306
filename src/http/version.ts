import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../config.ts'

/** Version of the service, as its package says. */
export const VERSION: string = (
  JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as { version: string }
).version
