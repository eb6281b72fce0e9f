import { type DragEvent, useRef, useState } from 'react';
import { useTexts } from '../../texts/texts.ts';

interface FileProps {
  readonly file: File | null;
  readonly isBusy: boolean;
  readonly onChoose: (file: File | null) => void;
}

/** Field for a CSV file, which also accepts a dropped file. It shows the chosen file until it is removed. */
export function FileField({ file, isBusy, onChoose }: FileProps) {
  const texts = useTexts();
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    const { files } = event.dataTransfer;
    if (isBusy || !input.current || files.length === 0) return;
    input.current.files = files;
    onChoose(files[0] ?? null);
  };
  const remove = (): void => {
    if (input.current) input.current.value = '';
    onChoose(null);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the field in it does the same by keyboard
    <div
      className={`drop column${isOver ? ' over' : ''}`}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <label htmlFor="file">{texts('portfolio.file')}</label>
      <div className="row">
        <input
          ref={input}
          id="file"
          type="file"
          accept=".csv,.txt,text/csv"
          disabled={isBusy}
          onChange={({ target }) => onChoose(target.files?.[0] ?? null)}
        />
        {file && (
          <button type="button" className="plain" disabled={isBusy} onClick={remove}>
            {texts('portfolio.remove')}
          </button>
        )}
      </div>
      <p className="quiet small">{texts('portfolio.drop')}</p>
    </div>
  );
}
