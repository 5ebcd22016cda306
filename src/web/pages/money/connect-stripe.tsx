import { Empty } from '../../parts/states.tsx'

export default function ConnectStripe() {
  return <Empty />
}
