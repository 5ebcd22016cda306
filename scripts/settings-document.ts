import { z } from 'zod'
import { ABOUT, SETTING_GROUPS } from '../src/platform/config/settings.ts'

const HEAD = `# Configuration

<!-- Written by \`npm run -s docs\` from src/platform/config/settings.ts: change a setting there. -->

Settings are environment variables. All have defaults, and an empty one counts as not set. A wrong one stops the start with a message that has its
name, its value (passwords and keys stay hidden) and what is allowed. Processes read settings when they start: restart the service after a change
([with PM2](operations.md#deploy-with-pm2)).

Without \`DATABASE_URL\` and \`REDIS_URL\` the service starts its own database and Redis in \`DATA_DIR\`. A machine, or container, with one core or less
than 1.5 GiB of memory is **small**: it gets one HTTP worker and small caches ([sizes](operations.md#sizes)).
`

/**
 * Returns the text of docs/configuration.md.
 * @throws Error that names a setting without a description
 */
export const settingsDocument = (): string =>
  [
    HEAD,
    ...Object.entries(SETTING_GROUPS).map(
      ([title, settings]) => `## ${title}\n\n${Object.entries(settings).map(itemOf).join('\n')}\n`,
    ),
  ].join('\n')

function itemOf([name, schema]: [string, z.ZodType]): string {
  const about = ABOUT.get(schema)
  const without = about?.unset ? `not set: ${about.unset}` : defaultOf(schema)
  if (!about || !without) throw new Error(`${name} needs a description, and what holds without it`)
  return `- **\`${name}\`** (${without}). ${about.meaning} Allowed: ${allowedBy(schema)}`
}

const defaultOf = (schema: z.ZodType) =>
  schema instanceof z.ZodDefault ? `default \`${schema.def.defaultValue}\`` : undefined

/** Returns what the service says of a wrong value, as a sentence. What stands after a colon of a number says the same as the meaning. */
function allowedBy(schema: z.ZodType): string {
  const issues = ['', '\0'.repeat(200)].flatMap(wrong => schema.safeParse(wrong).error?.issues ?? [])
  const [{ message } = { message: 'any text' }] = issues
  const plain = message.replace(/^a whole (number from \d+ to \d+): .*/, 'a $1').replace(/[*<]/g, '\\$&')
  return plain.endsWith('…') ? plain : `${plain}.`
}
