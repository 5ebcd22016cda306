import { POOL_SETTINGS } from '../../src/platform/db/pool-settings.ts'

/**
 * Returns the lines of the section `[databases]` for the database `analytics`: one for what has no pool, and one for each pool with its
 * settings.
 * @param server such as `host=10.0.0.4 port=5432`
 */
export function pgbouncerDatabases(server: string): string[] {
  const line = (name: string, settings: Record<string, string>) => {
    const all = Object.entries({ client_min_messages: 'warning', ...settings })
    const statements = all.map(([setting, value]) => `set ${setting} to ''${value}''`)
    return `${name} = ${server} dbname=analytics connect_query='${statements.join('; ')}'`
  }
  return [
    line('analytics', {}),
    ...Object.entries(POOL_SETTINGS).map(([pool, settings]) => line(`analytics-${pool}`, settings)),
  ]
}
