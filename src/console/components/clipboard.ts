/** Copies a text to the clipboard. Rejects if the browser does not allow it. */
export async function copyText(text: string): Promise<void> {
  // Browsers offer `navigator.clipboard` only on loopback and over TLS.
  if (isSecureContext)
    return navigator.clipboard.writeText(text).catch(() => {
      throw notAllowed();
    });
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  if (!isCopied) throw notAllowed();
}

const notAllowed = (): Error =>
  new Error('The browser does not allow this page to copy. Allow it, or select the text instead.');
