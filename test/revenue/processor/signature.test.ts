import { describe, expect, test } from 'vitest'
import { verifySignature } from '../../../src/revenue/processor/stripe.ts'
import { SECRET, sign } from '../../support/stripe.ts'

const NOW = 1_780_000_000
const BODY = '{"id":"evt_1"}'

const verify =
  (header: string | undefined, body = BODY, secret = SECRET) =>
  () =>
    verifySignature(Buffer.from(body), header, secret, new Date(NOW * 1000 + 999))

describe('webhook signature', () => {
  test.each([-300, -1, 0, 1, 300])('a signature of %i s from now is accepted', seconds => {
    expect(verify(sign(BODY, { signedAt: NOW + seconds }))).not.toThrow()
  })

  test.each([-100_000, -301, 301, 100_000])('a signature of %i s from now is refused', seconds => {
    expect(verify(sign(BODY, { signedAt: NOW + seconds }))).toThrow(/signature/)
  })

  test('one valid signature among several is accepted, as during a change of the secret', () => {
    const good = sign(BODY, { signedAt: NOW })
    const other = sign(BODY, { signedAt: NOW, secret: 'whsec_old' })
    expect(verify(`${other},${good.split(',')[1]}`)).not.toThrow()
  })

  test.each([undefined, '', 't=', `t=${NOW}`, 'v1=00', `t=${NOW},v1=`, `t=${NOW},v1=00`, `t=x,${'v1=00'}`])(
    'a header of the form %j is refused',
    header => {
      expect(verify(header)).toThrow(expect.objectContaining({ code: 'bad_signature' }))
    },
  )

  test('the signature covers every byte of the body', () => {
    expect(verify(sign(BODY, { signedAt: NOW }), `${BODY} `)).toThrow(/signature/)
  })
})
