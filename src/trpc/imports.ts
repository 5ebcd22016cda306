import { z } from 'zod'
import {
  cancelImport,
  createImport,
  getImport,
  listImports,
  startImport,
  undoImport,
  uploadPart,
} from '../outgoing/transfer/imports/imports.ts'
import { listFormats } from '../outgoing/transfer/imports/present.ts'
import {
  CreateImport,
  Import,
  ImportFormat,
  ImportKey,
  ImportPage,
  ListImports,
  PART_BYTES,
  StartImport,
  UploadPart,
} from '../outgoing/transfer/imports/schema.ts'
import { managedSiteProcedure, router, siteProcedure } from './procedures.ts'

const NO_IMPORT = 'No such site, or no such import'

export const importsRouter = router({
  formats: siteProcedure
    .meta({
      path: '/api/sites/:siteKey/import-formats',
      summary: 'List formats of imports',
      answer: 'All formats, and what their files must be.',
    })
    .output(z.array(ImportFormat))
    .query(() => listFormats()),
  list: managedSiteProcedure
    .meta({
      path: '/api/sites/:siteKey/imports',
      summary: 'List imports',
      description: 'The newest first.',
      answer: 'A page of imports.',
    })
    .input(ListImports)
    .output(ImportPage)
    .query(({ ctx, input }) => listImports(ctx, ctx.site, input)),
  create: managedSiteProcedure
    .meta({
      method: 'post',
      path: '/api/sites/:siteKey/imports',
      ok: 201,
      summary: 'Create an import',
      description:
        'Then send the file in parts, ask for a dry run, and start it. A file that is not imported within a day is deleted.',
      answer: 'The import: `missing_parts` says what to send.',
    })
    .input(CreateImport)
    .output(Import)
    .mutation(({ ctx, input }) => createImport(ctx, ctx.site, input)),
  get: managedSiteProcedure
    .meta({
      path: '/api/sites/:siteKey/imports/:id',
      summary: 'Read an import',
      answer: 'The import, with the progress of what runs.',
      not_found: NO_IMPORT,
    })
    .input(ImportKey)
    .output(Import)
    .query(({ ctx, input }) => getImport(ctx, ctx.site, input)),
  uploadPart: managedSiteProcedure
    .meta({
      method: 'put',
      path: '/api/sites/:siteKey/imports/:id/parts/:number',
      rawBody: PART_BYTES,
      summary: 'Send a part of a file',
      description:
        'The body is the bytes of the part as they are: `part_bytes` of the file from `number × part_bytes` on, the last part the rest. In any order, and again after a failure. Not over tRPC.',
      not_found: NO_IMPORT,
    })
    .input(UploadPart)
    .output(z.void())
    .mutation(({ ctx, input }) => uploadPart(ctx, ctx.site, input)),
  start: managedSiteProcedure
    .meta({
      method: 'post',
      path: '/api/sites/:siteKey/imports/:id/start',
      ok: 202,
      summary: 'Start an import',
      description:
        'In the background; `GET` shows its progress. The same file again adds nothing, a longer one only what is new.',
      answer: 'The import.',
      not_found: NO_IMPORT,
      bad_request: 'Parts of the file are missing, or the import has run',
    })
    .input(StartImport)
    .output(Import)
    .mutation(({ ctx, input }) => startImport(ctx, ctx.site, input)),
  cancel: managedSiteProcedure
    .meta({
      method: 'post',
      path: '/api/sites/:siteKey/imports/:id/cancel',
      summary: 'Cancel an import',
      description: 'Deletes its file. What was stored stays; undo removes it.',
      answer: 'The import.',
      not_found: NO_IMPORT,
      bad_request: 'The import has ended',
    })
    .input(ImportKey)
    .output(Import)
    .mutation(({ ctx, input }) => cancelImport(ctx, ctx.site, input)),
  undo: managedSiteProcedure
    .meta({
      method: 'post',
      path: '/api/sites/:siteKey/imports/:id/undo',
      ok: 202,
      summary: 'Undo an import',
      description:
        'Removes everything that all imports of the format have brought to the site, in the background: they are one history.',
      answer: 'The import.',
      not_found: NO_IMPORT,
      bad_request: 'The format cannot be undone, or the import has stored nothing or still runs',
    })
    .input(ImportKey)
    .output(Import)
    .mutation(({ ctx, input }) => undoImport(ctx, ctx.site, input)),
})
