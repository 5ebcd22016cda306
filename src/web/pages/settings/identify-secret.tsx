import { useState } from 'react'
import { api, TOGETHER } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { useRead } from '../../api/use-read.ts'
import { Answer } from '../../parts/answer.tsx'
import { Card } from '../../parts/card.tsx'
import { CodeBlock } from '../../parts/code-block.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { Button } from '../../parts/form/button.tsx'
import { useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import css from './settings.module.css'

/** The secret with which the site's server signs the ids of its users. A new one is shown once. */
export function IdentifySecret() {
  const { settings: text } = useText()
  const { id } = useSite()
  const key = ['identify-secret', id]
  const status = useRead(key, signal =>
    api.sites.getIdentifySecret.query({ siteKey: id }, { signal, context: TOGETHER }),
  )
  const [asked, setAsked] = useState<'rotate' | 'remove'>()
  const [secret, setSecret] = useState<string>()
  const rotate = useChange(() => api.sites.rotateIdentifySecret.mutate({ siteKey: id }), [key])
  const remove = useChange(
    () => api.sites.removeIdentifySecret.mutate({ siteKey: id }).then(() => true),
    [key],
  )
  const make = async () => {
    const made = await rotate.send(undefined)
    setSecret(made?.identify_secret)
    if (made) setAsked(undefined)
  }
  const drop = async () => {
    if (await remove.send(undefined)) setAsked(undefined)
    setSecret(undefined)
  }
  return (
    <Card title={text.identify} note={text.identifyHint}>
      <Answer read={status}>
        {({ identify_secret_set: isSet }) => (
          <div className={css.stack}>
            <p>{isSet ? text.identifySet : text.identifyUnset}</p>
            {secret && (
              <div role="status">
                <p className={css.quiet}>{text.onlyOnce}</p>
                <CodeBlock isWrapped code={secret} label={text.identify} />
              </div>
            )}
            <div className={css.buttons}>
              <Button isBusy={rotate.isSending} onClick={isSet ? () => setAsked('rotate') : make}>
                {isSet ? text.identifyRotate : text.identifyMake}
              </Button>
              {isSet && (
                <Button kind="danger" onClick={() => setAsked('remove')}>
                  {text.identifyRemove}
                </Button>
              )}
            </div>
          </div>
        )}
      </Answer>
      {asked && (
        <Confirm
          title={asked === 'rotate' ? text.identifyRotate : text.identifyRemove}
          confirm={asked === 'rotate' ? text.identifyRotate : text.identifyRemove}
          onConfirm={asked === 'rotate' ? make : drop}
          onClose={() => setAsked(undefined)}
          isSending={rotate.isSending || remove.isSending}
          failure={rotate.failure ?? remove.failure}
        >
          <p>{asked === 'rotate' ? text.identifyRotateHint : text.identifyRemoveHint}</p>
        </Confirm>
      )}
    </Card>
  )
}
