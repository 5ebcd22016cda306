import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { AnswerError } from '../../src/web/api/failure.ts'
import { changeSignedIn, endQuestion, readSignedIn, setMember } from '../../src/web/api/session.ts'

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
