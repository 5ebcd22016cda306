import type { ImportServices, UndoTask } from '../import-kind.ts'
import { deleteLooseHits, deleteSessions } from './delete-sessions.ts'
import { deleteVisitors } from './delete-visitors.ts'
import { giveBackValues } from './give-back-values.ts'
import { unlinkMoney } from './unlink-money.ts'

/**
 * Deletes all visitors that files of a format have made, with everything that they did: they are never visitors of live hits. Each
 * transaction deletes a bounded part and leaves everything consistent, so it is safe to stop at any point and to run again. Every
 * number is then as if nothing had been imported.
 */
export async function undoHits(services: ImportServices, task: UndoTask): Promise<void> {
  const { db } = services
  await services.refresher.during(async () => {
    do {
      await unlinkMoney(db, task)
      await deleteSessions(db, task)
      await deleteLooseHits(db, task)
      await giveBackValues(db, task)
      // Payments that came meanwhile; without sessions, visitors get no more.
      await unlinkMoney(db, task)
    } while (await deleteVisitors(db, task))
  })
}
