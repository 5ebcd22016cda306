import { z } from 'zod'
import { PLANS } from '../../../access/teams/caller.ts'
import { refusal } from '../read/limits.ts'

/** Rises when archives change in a way that older versions of the product cannot restore. */
export const ARCHIVE_FORMAT = 1

const Count = z.int().min(0)

const ArchivedFile = z.object({
  name: z.string(),
  rows: Count,
  bytes: Count,
  /** Hexadecimal. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
})
export type ArchivedFile = z.infer<typeof ArchivedFile>

const ArchivedTeam = z.object({
  id: z.uuid(),
  name: z.string().min(1).max(255),
  plan: z.enum(PLANS),
  trial_ends_at: z.iso.datetime().nullable(),
})
export type ArchivedTeam = z.infer<typeof ArchivedTeam>

const ArchivedSite = z.object({
  id: z.uuid(),
  domain: z.string(),
  /** Its number in the database that it comes from: ids of service events are derived from it. */
  number: Count,
})

/** The last file of an archive: without it the archive is cut. It says what the archive must have, so that a change is found. */
const Manifest = z.object({
  format: z.literal(ARCHIVE_FORMAT),
  product_version: z.string(),
  exported_at: z.iso.datetime(),
  team: ArchivedTeam,
  sites: z.array(ArchivedSite),
  /** In the order of the archive. */
  files: z.array(ArchivedFile),
})
export type Manifest = z.infer<typeof Manifest>

/** @throws AppError `validation_failed` for a text that is no manifest, or one of a newer version */
export function readManifest(text: string): Manifest {
  const json = parsed(text)
  const format = (json as { format?: unknown } | null)?.format
  if (typeof format === 'number' && format > ARCHIVE_FORMAT) {
    throw refusal(
      `the archive was written by a newer version (format ${format}; this version reads ${ARCHIVE_FORMAT}); upgrade this service first`,
    )
  }
  const manifest = Manifest.safeParse(json)
  if (!manifest.success)
    throw refusal(`the manifest of the archive is not valid: ${z.prettifyError(manifest.error)}`)
  return manifest.data
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw refusal('the manifest of the archive is not JSON', error)
  }
}
