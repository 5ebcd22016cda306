import { useState } from 'react'
import { useLocation } from 'wouter'
import { api } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { Card } from '../../parts/card.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { Button } from '../../parts/form/button.tsx'
import { useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'

/** The deletion of the site. */
export function DangerSettings() {
  const { settings: text } = useText()
  const { id, domain } = useSite()
  const [, navigate] = useLocation()
  const [isAsked, setAsked] = useState(false)
  const change = useChange(() => api.sites.delete.mutate({ siteKey: id }), [['sites']])
  return (
    <Card title={text.deleteSite} note={text.deleteSiteHint}>
      <Button kind="danger" onClick={() => setAsked(true)}>
        {text.deleteSite}
      </Button>
      {isAsked && (
        <Confirm
          title={text.deleteSite}
          change={change}
          onDone={() => navigate('~/', { replace: true })}
          onClose={() => setAsked(false)}
          typed={{ label: text.typeDomain(domain), text: domain }}
        >
          <p>{text.deleteSiteQuestion(domain)}</p>
        </Confirm>
      )}
    </Card>
  )
}
