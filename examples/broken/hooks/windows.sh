echo Read the notes first
