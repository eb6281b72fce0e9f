import { Explorer } from './explorer/explorer.tsx';
import { restoreSession } from './state/session.ts';
import { mount } from './ui/mount.tsx';
import './explorer/explorer.css';

/** Company that a link may name besides the key. */
const company = new URLSearchParams(location.hash.slice(1)).get('company');
restoreSession();
mount(<Explorer company={company} />);
