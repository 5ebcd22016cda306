import type { Converted } from '../converter.ts'
import { identity } from '../fields/lines.ts'
import { objectIn } from '../fields/objects.ts'
import { entriesOf, readProperties } from '../fields/properties.ts'
import { plainText } from '../fields/texts.ts'
import type { Context, Read } from './context.ts'

/**
 * Yields who the visitor is, once a session and whenever an event tells more of the user.
 * @param visitor id of the visitor at PostHog: users who did not sign in have it as distinct_id, too
 */
export function* identityOf(
  { event, name, properties, sender }: Read,
  visitor: string,
  { texts, identified }: Pick<Context, 'texts' | 'identified'>,
): Generator<Converted> {
  const identifier = texts.read(properties.$user_id ?? event.distinct_id, 255, 'id of a user')
  if (!identifier) return
  const isIdentified = properties.$is_identified === true || plainText(properties.$device_id) !== undefined
  if (name !== '$identify' && !(isIdentified && identifier !== visitor)) return
  const given = { ...objectIn(event.set), ...objectIn(properties.$set) }
  const traits = name === '$identify' || name === '$set' ? given : {}
  const isDue = identified.isDue(sender.visitorId!, identifier, sender.at!)
  if (!isDue && Object.keys(traits).length === 0) return
  yield identity(sender, {
    identifier,
    name: texts.read(traits.name, 255, 'name of a user'),
    custom: readProperties(
      entriesOf(traits).filter(([key]) => !key.startsWith('$') && key !== 'name'),
      texts,
    ),
  })
}
