import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { z } from 'zod'
import { AppError, invalidField } from '../../platform/errors.ts'
import { checkDepth, parseJson } from '../../platform/lib/json.ts'
import { createTurns } from '../../platform/lib/turns.ts'
import { flag } from '../../platform/schema/fields.ts'
import { requiredText, validationError } from '../../platform/schema/validation.ts'
import { described, EXAMPLE, integer, key, PATH, sender, uuid } from '../edge/hit-fields.ts'
import {
  MAX_CHUNK_BYTES,
  MAX_CHUNK_MS,
  MAX_DEPTH,
  MAX_EVENTS,
  MAX_EVENTS_BYTES,
  MAX_PARTS,
} from './bounds.ts'

const DAY_MS = 86_400_000

/** The first line of a body. Without `recording` the sender only asks whether it may record. */
export const ReplayHead = z
  .object({
    key,
    ...sender,
    path: described(requiredText(2048), PATH, '/pricing'),
    page_ms: described(integer(0, DAY_MS), 'Milliseconds since the page was opened.', 12_500),
    recording: described(uuid, 'Id of the recording, made when the page began to record.').optional(),
    position: described(integer(0, 1_000_000), 'Number of the chunk in its recording, from 0.', 0).optional(),
  })
  .refine(({ recording, position }) => (recording === undefined) === (position === undefined), {
    path: ['position'],
    message: 'is required with recording, and only with it',
  })
  .meta({
    id: 'ReplayHead',
    example: {
      ...EXAMPLE,
      path: '/pricing',
      page_ms: 12_500,
      recording: '0b8a4d1e-5a7f-4a53-9c66-3d2f3c0f7c11',
      position: 0,
    },
  })
export type ReplayHead = z.infer<typeof ReplayHead>

/** An event as it was sent: an object that only its player looks into. */
export const RecordedEvent = z.unknown().meta({
  type: 'object',
  description: 'Event of rrweb.',
  properties: {
    type: { type: 'integer', minimum: 0, maximum: 6, description: 'Its kind.' },
    timestamp: { type: 'number', description: 'Unix milliseconds, by the clock of the browser.' },
    data: { type: 'object', description: 'What its kind needs.' },
  },
  required: ['type', 'timestamp', 'data'],
  example: { type: 4, timestamp: 1_742_896_800_000, data: { href: 'https://example.com/pricing' } },
})

/** What the endpoint answers. */
export const ReplayAnswer = z
  .object({
    recording: flag('Whether the page may go on. When false, nothing more of it is kept.', true),
    excluded_paths: z.array(z.string()).meta({
      description: 'Pages that must not be recorded, as the site excludes them.',
      example: ['/account/**'],
    }),
  })
  .meta({ id: 'ReplayAnswer' })
export type ReplayAnswer = z.infer<typeof ReplayAnswer>

const NEWLINE = 10
const MAX_HEAD_BYTES = 16 * 1024

/** Most bytes of a body. */
export const MAX_BODY_BYTES = MAX_HEAD_BYTES + MAX_CHUNK_BYTES

/**
 * Splits a body into its first line and its chunk, which is empty where the sender only asks.
 * @throws AppError `malformed_json`, `validation_failed` with the names of the fields, `payload_too_large`
 */
export function readHead(body: Buffer): { head: ReplayHead; chunk: Buffer } {
  const newline = body.indexOf(NEWLINE)
  const line = newline < 0 ? body : body.subarray(0, newline)
  if (line.length > MAX_HEAD_BYTES)
    throw new AppError('payload_too_large', 'The first line of the body is larger than 16 KiB')
  const parsed = ReplayHead.safeParse(parseJson(line.toString()))
  if (!parsed.success) throw validationError(parsed.error)
  const head = parsed.data
  const chunk = newline < 0 ? body.subarray(0, 0) : body.subarray(newline + 1)
  if (head.recording === undefined && chunk.length > 0)
    throw invalidField('recording', 'is required for a body with events')
  if (head.recording !== undefined && chunk.length === 0)
    throw invalidField('events', 'The body has no events after its first line')
  return { head, chunk }
}

const unpack = promisify(gunzip)
const pack = promisify(gzip)
/** One chunk is unpacked at a time: 600 of 4 KiB, sent at once, would otherwise take 2.5 GiB of memory. */
const turns = createTurns()

export interface ReadChunk {
  /** gzip */
  data: Buffer
  /** Bytes of the events as JSON. */
  unpacked: number
  events: number
  firstEventMs: number
  lastEventMs: number
}

/**
 * Unpacks and checks a chunk: gzip, or JSON as it is, which a page sends that is being left.
 * @param charge counts the bytes of a chunk before it is parsed
 * @throws AppError `payload_too_large`, `bad_request` for broken gzip, `malformed_json`, `validation_failed`; the error of `charge`
 */
export const readChunk = (chunk: Buffer, charge: (unpacked: number) => Promise<void>): Promise<ReadChunk> =>
  turns('chunk', () => readInTurn(chunk, charge))

async function readInTurn(chunk: Buffer, charge: (unpacked: number) => Promise<void>): Promise<ReadChunk> {
  const isPacked = chunk[0] === 0x1f && chunk[1] === 0x8b
  const text = isPacked ? await unpackEvents(chunk) : chunk
  const data = isPacked ? chunk : await pack(chunk)
  if (data.length > MAX_CHUNK_BYTES)
    throw new AppError(
      'payload_too_large',
      `The events are larger than ${MAX_CHUNK_BYTES / 1024} KiB as gzip`,
    )
  await charge(text.length)
  return { data, unpacked: text.length, ...checkEvents(text.toString()) }
}

/** Unpacks a chunk that was checked when it was stored. */
export const readEvents = async (data: Uint8Array): Promise<object[]> =>
  JSON.parse((await unpack(data, { maxOutputLength: MAX_EVENTS_BYTES })).toString())

async function unpackEvents(chunk: Buffer): Promise<Buffer> {
  try {
    return await unpack(chunk, { maxOutputLength: MAX_EVENTS_BYTES })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_BUFFER_TOO_LARGE')
      throw new AppError('bad_request', 'The events cannot be unpacked: send gzip')
    const most = MAX_EVENTS_BYTES / 1024 / 1024
    throw new AppError('payload_too_large', `The events unpack to more than ${most} MiB`)
  }
}

/** Latest time that a Date can have. */
const LATEST_MS = 8.64e15
/** Kinds of events of rrweb: 0 to 6. */
const MOST_TYPE = 6

function checkEvents(text: string): Omit<ReadChunk, 'data' | 'unpacked'> {
  checkDepth(text, 'events', MAX_DEPTH, MAX_PARTS)
  const events = parseEvents(text)
  if (!Array.isArray(events) || events.length === 0 || events.length > MAX_EVENTS)
    throw invalidField('events', `must be an array of 1 to ${MAX_EVENTS} events`)
  let first = Number.POSITIVE_INFINITY
  let last = Number.NEGATIVE_INFINITY
  events.forEach((event: Partial<Record<'type' | 'timestamp' | 'data', unknown>> | null, index) => {
    const { type, timestamp, data } = event ?? {}
    const isEvent =
      Number.isInteger(type) &&
      (type as number) >= 0 &&
      (type as number) <= MOST_TYPE &&
      typeof timestamp === 'number' &&
      timestamp >= 0 &&
      timestamp <= LATEST_MS &&
      typeof data === 'object' &&
      data !== null &&
      !Array.isArray(data)
    if (!isEvent)
      throw invalidField(`events.${index}`, 'must have a type from 0 to 6, a timestamp and an object as data')
    first = Math.min(first, timestamp as number)
    last = Math.max(last, timestamp as number)
  })
  if (last - first > MAX_CHUNK_MS) throw invalidField('events', 'must lie within 24 hours')
  return { events: events.length, firstEventMs: Math.floor(first), lastEventMs: Math.floor(last) }
}

function parseEvents(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new AppError('malformed_json', 'The events are not valid JSON')
  }
}
