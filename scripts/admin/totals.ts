import type { Command } from 'commander'
import { findSiteAnywhere } from '../../src/access/sites/find-site.ts'
import { findImport, listTotals } from '../../src/outgoing/transfer/totals/list.ts'
import { removeImport } from '../../src/outgoing/transfer/totals/store.ts'
import type { Answer } from './answer.ts'

/** Adds the commands for imported totals; `import:plausible-totals` and others bring them. */
export function addTotalsCommands(admin: Command, answer: Answer): void {
  admin
    .command('totals:list')
    .description('show the imports of totals of a site, the newest first')
    .requiredOption('--site <site>', 'id or domain')
    .action((options: { site: string }) =>
      answer(async db => ({ imports: await listTotals({ db }, await findSiteAnywhere(db, options.site)) })),
    )

  admin
    .command('totals:undo')
    .description('remove what one import of totals brought')
    .requiredOption('--site <site>', 'id or domain')
    .requiredOption('--import <id>', 'its id, as totals:list shows it')
    .action((options: { site: string; import: string }) =>
      answer(async db => {
        const { siteNo } = await findSiteAnywhere(db, options.site)
        const { importNo, file } = await findImport(db, siteNo, options.import)
        await removeImport(db, { siteNo, importNo })
        return { removed: options.import, file }
      }),
    )
}
