import { Empty } from '../../parts/states.tsx'

export default function Settings() {
  return <Empty />
}
