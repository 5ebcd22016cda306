import { useState } from 'react'
import { api, type Outputs } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { useRead } from '../../api/use-read.ts'
import { signOut } from '../../app/person/signing.ts'
import { usePlainFormat } from '../../format/format.ts'
import { Card } from '../../parts/card.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { Button } from '../../parts/form/button.tsx'
import { Answer, FailureNote } from '../../parts/states.tsx'
import { leadTo } from '../../state/places.ts'
import { useText } from '../../text/text.tsx'
import css from './account.module.css'

type Device = Outputs['account']['sessions'][number]

const DEVICES = ['devices'] as const

/** Browsers in which the person is signed in. */
export function Devices() {
  const { account } = useText()
  const devices = useRead(DEVICES, signal => api.account.sessions.query(undefined, { signal }))
  const end = useChange((id: string) => api.account.endSession.mutate({ id }), [DEVICES])
  const [isAsking, setAsking] = useState(false)
  // A session that has ended by itself is gone from the list, too.
  const failure = end.failure?.kind === 'missing' ? undefined : end.failure
  return (
    <Card title={account.parts.devices} note={account.devicesNote}>
      {failure && <FailureNote failure={failure} />}
      <Answer read={devices}>
        {list => (
          <ul className={css.rows}>
            {list.map(device => (
              <DeviceRow
                key={device.id}
                device={device}
                onEnd={() => (device.is_current ? signOut() : end.send(device.id))}
              />
            ))}
          </ul>
        )}
      </Answer>
      <Button kind="danger" onClick={() => setAsking(true)}>
        {account.signOutAll}
      </Button>
      {isAsking && <SignOutAll onClose={() => setAsking(false)} />}
    </Card>
  )
}

function DeviceRow({ device, onEnd }: { device: Device; onEnd(): void }) {
  const { account, common } = useText()
  const { time } = usePlainFormat()
  const { browser, system, network, is_current, last_used_at } = device
  const name = account.deviceName(browser || account.unknownBrowser, system)
  return (
    <li>
      <div>
        <span className={css.line}>
          <bdi>{name}</bdi>
          {is_current && <span className={`${css.tag} ${css.good}`}>{account.thisDevice}</span>}
        </span>
        <p>
          {network && `${network} · `}
          {account.usedAt(time(last_used_at))}
        </p>
      </div>
      <Button aria-label={`${common.nav.signOut}: ${name}`} onClick={onEnd}>
        {common.nav.signOut}
      </Button>
    </li>
  )
}

function SignOutAll({ onClose }: { onClose(): void }) {
  const { account } = useText()
  const endAll = useChange(() => api.account.endSessions.mutate())
  return (
    <Confirm
      title={account.signOutAll}
      change={endAll}
      onDone={() => leadTo('/login#ended')}
      onClose={onClose}
    >
      <p>{account.signOutAllNote}</p>
    </Confirm>
  )
}
