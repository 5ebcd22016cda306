import { z } from 'zod'
import {
  Annotation,
  AnnotationKey,
  AnnotationPage,
  ChangeAnnotation,
  CreateAnnotation,
  ListAnnotations,
} from '../stats/annotations/annotation-schema.ts'
import {
  changeAnnotation,
  createAnnotation,
  listAnnotations,
  MOST_ANNOTATIONS,
  removeAnnotation,
} from '../stats/annotations/annotations.ts'
import { changingSiteProcedure, router } from './procedures.ts'
import { sharedSiteProcedure } from './shared-site.ts'

const UNKNOWN = 'No such site, or no such annotation of it'

export const annotationsRouter = router({
  list: sharedSiteProcedure
    .meta({
      section: 'traffic',
      path: '/api/sites/:siteKey/annotations',
      summary: 'List annotations',
      description: 'Those that touch the range, the newest first; without a range all of them.',
      answer: 'A page of annotations.',
    })
    .input(ListAnnotations)
    .output(AnnotationPage)
    .query(({ ctx, input }) => listAnnotations(ctx, ctx.site, input)),
  create: changingSiteProcedure
    .meta({
      method: 'post',
      path: '/api/sites/:siteKey/annotations',
      ok: 201,
      summary: 'Annotate a site',
      description:
        'Readers of shares with the section `traffic`, and everybody on a public site, read it, too.',
      answer: 'The new annotation.',
      forbidden: `The site has ${MOST_ANNOTATIONS} annotations, as many as it may; or the user is a viewer`,
    })
    .input(CreateAnnotation)
    .output(Annotation)
    .mutation(({ ctx, input }) => createAnnotation(ctx, ctx.caller, ctx.site, input)),
  change: changingSiteProcedure
    .meta({
      method: 'patch',
      path: '/api/sites/:siteKey/annotations/:annotation',
      summary: 'Change an annotation',
      description: 'What is left out stays.',
      answer: 'The annotation.',
      not_found: UNKNOWN,
    })
    .input(AnnotationKey)
    .input(ChangeAnnotation)
    .output(Annotation)
    .mutation(({ ctx, input: { annotation, ...changes } }) =>
      changeAnnotation(ctx, ctx.site, annotation, changes),
    ),
  delete: changingSiteProcedure
    .meta({
      method: 'delete',
      path: '/api/sites/:siteKey/annotations/:annotation',
      summary: 'Delete an annotation',
      not_found: UNKNOWN,
    })
    .input(AnnotationKey)
    .output(z.void())
    .mutation(({ ctx, input }) => removeAnnotation(ctx, ctx.site, input.annotation)),
})
