import type { ExportTo } from '../../../platform/config/export.ts'
import { folderTarget } from './folder-target.ts'

/** Where the files of the daily export go. */
export interface Target {
  /**
   * Puts a file in the place of one of the same name. Readers see the old one or the new one, never a part.
   * @param name with `/` between folders
   * @param file path of the complete file on this machine; it is left there
   */
  put(name: string, file: string): Promise<void>
}

export async function openTarget(to: ExportTo): Promise<Target> {
  if ('folder' in to) return folderTarget(to.folder)
  // Loaded where it is needed: the client of buckets takes 30 MB.
  const { bucketTarget } = await import('./bucket-target.ts')
  return bucketTarget(to)
}
