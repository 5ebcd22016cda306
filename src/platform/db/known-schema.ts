/** What a database says about its schema: a row of the table `migrations`. */
export interface Applied {
  /** null in a table of that name which is not ours. */
  name: string | null
  /** The version that applied it; null for those before 0.3.0. */
  version: string | null
}

/**
 * Refuses a schema that this version cannot continue.
 * @param applied what the database has
 * @param known names of all migrations of this version, sorted
 * @param options.hasTeams whether the database has a table `teams`
 * @throws Error that names both versions and says what helps
 */
export function requireKnownSchema(
  applied: Applied[],
  known: string[],
  { version, hasTeams }: { version: string; hasTeams: boolean },
): void {
  const strange = applied.filter(({ name }) => name === null || !known.includes(name))
  const isOlder = strange.some(({ name }) => name === null || name < known.at(-1)!)
  if (isOlder || (applied.length === 0 && hasTeams)) {
    throw new Error(
      `DATABASE_URL has tables of a version before 0.2.0, or of another program; this is version ${version}, which goes on from 0.2.0 or later. ` +
        'Give it an empty database, or start the version that made the tables. Nothing was changed.',
    )
  }
  if (strange.length === 0) return
  const newest = strange.toSorted((a, b) => (a.name! < b.name! ? 1 : -1))[0]!
  throw new Error(
    `DATABASE_URL has the schema of ${newest.version ? `version ${newest.version}` : 'a later version'} (migration ${newest.name}); this is version ` +
      `${version}, which does not know it. Start that version or a later one, or restore the backup from before the upgrade. Nothing was changed.`,
  )
}
