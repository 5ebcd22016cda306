import { z } from 'zod'
import {
  ChangeSegment,
  CreateSegment,
  Segment,
  SegmentKey,
  SegmentList,
} from '../stats/segments/segment-schema.ts'
import {
  changeSegment,
  createSegment,
  getSegment,
  listSegments,
  MOST_SEGMENTS,
  removeSegment,
} from '../stats/segments/segments.ts'
import { changingSiteProcedure, router, siteProcedure } from './procedures.ts'

const UNKNOWN = 'No such site, or no such segment of it; personal segments of others are unknown'
const FULL = `The site or the user has ${MOST_SEGMENTS} segments, as many as may be; or the user is a viewer`

export const segmentsRouter = router({
  list: siteProcedure
    .meta({
      path: '/api/sites/:siteKey/segments',
      summary: 'List segments',
      description: 'Those of the site and your own personal ones, by name.',
      answer: 'A bare array.',
    })
    .output(SegmentList)
    .query(({ ctx }) => listSegments(ctx, ctx.caller, ctx.site)),
  get: siteProcedure
    .meta({ path: '/api/sites/:siteKey/segments/:segment', summary: 'Read a segment', not_found: UNKNOWN })
    .input(SegmentKey)
    .output(Segment)
    .query(({ ctx, input }) => getSegment(ctx, ctx.caller, ctx.site, input.segment)),
  create: changingSiteProcedure
    .meta({
      method: 'post',
      path: '/api/sites/:siteKey/segments',
      ok: 201,
      summary: 'Save a segment',
      description: 'Reads take its id as `segment`.',
      answer: 'The new segment.',
      forbidden: FULL,
    })
    .input(CreateSegment)
    .output(Segment)
    .mutation(({ ctx, input }) => createSegment(ctx, ctx.caller, ctx.site, input)),
  change: changingSiteProcedure
    .meta({
      method: 'patch',
      path: '/api/sites/:siteKey/segments/:segment',
      summary: 'Change a segment',
      description: 'What is left out stays. One of the site that becomes personal belongs to you.',
      answer: 'The segment.',
      forbidden: FULL,
      not_found: UNKNOWN,
    })
    .input(SegmentKey)
    .input(ChangeSegment)
    .output(Segment)
    .mutation(({ ctx, input: { segment, ...changes } }) =>
      changeSegment(ctx, ctx.caller, ctx.site, segment, changes),
    ),
  delete: changingSiteProcedure
    .meta({
      method: 'delete',
      path: '/api/sites/:siteKey/segments/:segment',
      summary: 'Delete a segment',
      description: 'Reads that name it are refused from then on.',
      not_found: UNKNOWN,
    })
    .input(SegmentKey)
    .output(z.void())
    .mutation(({ ctx, input }) => removeSegment(ctx, ctx.caller, ctx.site, input.segment)),
})
