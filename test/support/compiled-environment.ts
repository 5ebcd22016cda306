import { fileURLToPath } from 'node:url'

/** Environment of a process that starts the embedded database: it takes the database's machine code from the file of this run. */
export const compiledEnvironment = (): NodeJS.ProcessEnv => ({
  NODE_OPTIONS: `--import ${fileURLToPath(new URL('compiled-database.js', import.meta.url))}`,
  COMPILED_DATABASE: process.env.COMPILED_DATABASE,
})
