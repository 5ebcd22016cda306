import { TRPCClientError } from '@trpc/client'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { AnswerError } from '../../src/web/api/failure.ts'
import { askFor, changeSignedIn, endQuestion, readSignedIn, setMember } from '../../src/web/api/session.ts'

beforeEach(() => setMember(true))
afterEach(() => {
  endQuestion(true)
  setMember(false)
})

const ended = () => new AnswerError('The session has ended: sign in again', 401)
const onceSignedIn = () => vi.fn().mockRejectedValueOnce(ended()).mockResolvedValue('done')

test('session: reads and changes wait until the person has signed in again, and are then sent once more', async () => {
  const [read, change] = [onceSignedIn(), onceSignedIn()]
  const answers = Promise.all([readSignedIn(read), changeSignedIn(change)])
  await expect.poll(() => read.mock.calls.length + change.mock.calls.length).toBe(2)
  endQuestion(true)
  expect(await answers).toEqual(['done', 'done'])
})

test('session: after the dialog is closed reads fail by themselves; a wrong password in the dialog asks nobody', async () => {
  const read = vi.fn().mockRejectedValue(ended())
  const first = readSignedIn(read)
  await expect.poll(() => read.mock.calls.length).toBe(1)
  await expect(changeSignedIn(() => Promise.reject(ended()))).rejects.toThrow('The session has ended')
  endQuestion(false)
  await expect(first).rejects.toThrow('The session has ended')
  await expect(readSignedIn(read)).rejects.toThrow('The session has ended')
  expect(read).toHaveBeenCalledTimes(2)
})

test('session: readers of a share, who have no session, are not asked', async () => {
  setMember(false)
  await expect(readSignedIn(() => Promise.reject(ended()))).rejects.toThrow('The session has ended')
})

const unproven = () => {
  const data = { httpStatus: 403, code: 'proof_required', message: 'prove it', request_id: 'r' }
  return TRPCClientError.from({ error: { message: 'prove it', code: -32003, data } } as never)
}

test('proof: a change waits until the person has proved who they are; when they do not, it fails, and reads still ask to sign in', async () => {
  const change = vi.fn().mockRejectedValueOnce(unproven()).mockResolvedValue('done')
  const answer = changeSignedIn(change)
  await expect.poll(() => change.mock.calls.length).toBe(1)
  // A wrong password in the dialog asks nobody.
  await expect(changeSignedIn(() => Promise.reject(unproven()))).rejects.toThrow('prove it')
  endQuestion(true)
  expect(await answer).toBe('done')
  const refused = changeSignedIn(() => Promise.reject(unproven()))
  await Promise.resolve()
  endQuestion(false)
  await expect(refused).rejects.toThrow('prove it')
  const read = onceSignedIn()
  const later = readSignedIn(read)
  await expect.poll(() => read.mock.calls.length).toBe(1)
  endQuestion(true)
  expect(await later).toBe('done')
})

test('proof: when the session ends meanwhile, signing in is asked for instead, and is a proof', async () => {
  const change = vi.fn().mockRejectedValueOnce(unproven()).mockResolvedValue('done')
  const answer = changeSignedIn(change)
  await expect.poll(() => change.mock.calls.length).toBe(1)
  // The password in the dialog is answered that the session has ended.
  await expect(changeSignedIn(() => Promise.reject(ended()))).rejects.toThrow('The session has ended')
  const asked = askFor('prove')
  endQuestion(true)
  expect(await Promise.all([answer, asked])).toEqual(['done', true])
})
