import { Empty } from '../../parts/states.tsx'

export default function Invite() {
  return <Empty />
}
