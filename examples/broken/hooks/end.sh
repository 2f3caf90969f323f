date >> "$1.log"
