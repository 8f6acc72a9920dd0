import { Component, type ReactNode } from 'react';
import { NotLoaded } from '../lazily';

type Props = {
  children: ReactNode;
  resetOn?: unknown; // where this changes, the children are tried again
  caught?: (error: unknown) => void;
  fallback?: (error: unknown, again: () => void) => ReactNode; // else a message
};

type State = { failed: false } | { failed: true; error: unknown };

/** Boundary keeps a fault of its children from everything else: without one React takes the whole page away. */
export class Boundary extends Component<Props, State> {
  override state: State = { failed: false };

  static getDerivedStateFromError(error: unknown): State {
    return { failed: true, error };
  }

  override componentDidCatch(error: unknown) {
    if (error instanceof NotLoaded) error.renew();
    this.props.caught?.(error);
  }

  override componentDidMount() {
    addEventListener('online', this.online);
  }

  override componentWillUnmount() {
    removeEventListener('online', this.online);
  }

  override componentDidUpdate(before: Props) {
    if (this.state.failed && before.resetOn !== this.props.resetOn) this.again();
  }

  private again = () => this.setState({ failed: false });

  private online = () => {
    if (this.state.failed && this.state.error instanceof NotLoaded) this.again();
  };

  override render() {
    if (!this.state.failed) return this.props.children;
    const { error } = this.state;
    return this.props.fallback ? this.props.fallback(error, this.again) : <Fault error={error} again={this.again} />;
  }
}

/** faultOf says what failed, in a reader's words. */
export function faultOf(error: unknown): string {
  return error instanceof NotLoaded ? 'This part of the page could not be loaded.' : 'This part of the page can’t be shown.';
}

export function Fault({ error, again }: { error: unknown; again: () => void }) {
  return (
    <div className="problem" role="alert">
      <p>{faultOf(error)}</p>
      <button type="button" onClick={again}>
        Try again
      </button>
    </div>
  );
}
