import type { Db } from '../../src/platform/db/connect.ts'

/**
 * Returns the tables and aggregate views, but for `sites` and its like on Citus, that have rows of a site. There, the rows of an aggregate are a
 * table beside its view: both have the name of the view here.
 */
export async function tablesWithRows(db: Db, { siteNo }: { siteNo: number }): Promise<string[]> {
  const tables = await db<{ name: string }[]>`
    select table_name as name from information_schema.columns
    where table_schema = 'public' and column_name = 'site_no' and table_name not in ('sites', 'deleted_sites') order by 1`
  const found = new Set<string>()
  for (const { name } of tables) {
    const [row] = await db`select from ${db(name)} where site_no = ${siteNo} limit 1`
    if (row) found.add(name.replace(/_counted$/, ''))
  }
  return [...found]
}
